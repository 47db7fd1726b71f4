#!/usr/bin/awk -f
# flatten.awk: JSON in, a line for each value out: its path, a tab, the value ("findings.0.kind<TAB>race"). Strings lose their
# quotes and keep their escapes. SPDX-License-Identifier: MIT
function fail(what) {
  print "flatten.awk: " what > "/dev/stderr"
  failed = 1
  exit 1
}
# Skips blanks, and goes on to the next line where this one is at its end: no token spans lines.
function blank() {
  for (;;) {
    match(text, /^[ \t\r]*/)
    text = substr(text, RLENGTH + 1)
    if (text != "" || next_line == NR)
      return
    text = lines[++next_line]
  }
}
function take(pattern, what) {
  if (!match(text, pattern))
    fail("found '" substr(text, 1, 20) "', wanted " what)
  taken = substr(text, 1, RLENGTH)
  text = substr(text, RLENGTH + 1)
}
function string() {
  take("^\"([^\"\\\\]|\\\\.)*\"", "a string")
  return substr(taken, 2, length(taken) - 2)
}
function members(path, close_, named, i, name) {
  text = substr(text, 2)
  blank()
  for (i = 0; substr(text, 1, 1) != close_; i++) {
    name = i
    if (named) {
      name = string()
      blank()
      take("^:", "a colon")
    }
    value(path == "" ? name : path "." name)
    blank()
    if (substr(text, 1, 1) != ",")
      break
    text = substr(text, 2)
    blank()
    if (substr(text, 1, 1) == close_)
      fail("found '" close_ "' after a comma")
  }
  if (substr(text, 1, 1) != close_)
    fail("found '" substr(text, 1, 20) "', wanted " close_)
  text = substr(text, 2)
}
function value(path, first) {
  blank()
  first = substr(text, 1, 1)
  if (first == "{")
    members(path, "}", 1)
  else if (first == "[")
    members(path, "]", 0)
  else if (first == "\"")
    print path "\t" string()
  else {
    take("^[-+.0-9a-zA-Z]+", "a value")
    print path "\t" taken
  }
}
{ lines[NR] = $0 }
END {
  if (failed)
    exit 1
  value("")
  blank()
  if (text != "")
    fail("found '" substr(text, 1, 20) "' after the end")
}
