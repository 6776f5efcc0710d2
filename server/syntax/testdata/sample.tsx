// it's a "comment"
export const View = ({ name, total }: Props) => (
  <section title="it's // fine" data-x='"'>
    Don't panic, {name} says hi {total}/{total / 2} {/* a "comment" */}
    <img src={`a/${name}.png`} alt="x" />
  </section>
);
