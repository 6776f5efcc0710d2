#!/bin/bash
# it's a "comment"
name='say "hi" # none'
echo "hi $name ${other:-"none"} $(ls "$dir" | wc -l) # none" it\'s # done
cat <<TEXT | grep "x"
It's $name "quoted"
TEXT
cat <<'RAW'
It's $no "quoted
RAW
echo $'it\'s' a#b
