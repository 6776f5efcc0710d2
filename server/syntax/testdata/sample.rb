# it's a "comment"
=begin
eval("x") 'y
=end
class Sample
  TEXT = 'it\'s' + "hi #{list.map { |x| "<#{x}>" }} and #{name} # none 饼干"
  WORDS = %w[a b(c) it's] + %q(a (b) 'c').split
  PATTERN = /a'#{WORDS.first}\/"/i
  def half(a, b)
    puts <<~TEXT, <<-'RAW'
      It's #{a} "quoted"
    TEXT
      It's #{no}
    RAW
    a / b / 2 # done
  end
end
