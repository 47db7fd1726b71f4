# findings.awk: of flatten.awk's lines, each finding: kind, tab, line, tab, text, tab, severity. Findings may stand in rows or stanzas too.
# SPDX-License-Identifier: MIT
{
  path = $1
  if (!match(path, /(^|\.)findings\.[0-9]+\.(kind|line|text|severity)$/))
    next
  sub(/\.[a-z]+$/, "", path)
  field = substr($1, length(path) + 2)
  if (!(path in seen)) {
    seen[path] = 1
    order[++count] = path
  }
  found[path, field] = $2
}
END {
  for (i = 1; i <= count; i++)
    printf "%s\t%s\t%s\t%s\n", found[order[i], "kind"], found[order[i], "line"], found[order[i], "text"], found[order[i], "severity"]
}
