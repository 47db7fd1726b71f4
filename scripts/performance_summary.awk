# performance_summary.awk: awk -v name=NAME -f performance_summary.awk RUN.md: what `gradus bench --preset` wrote as Markdown,
# without the tables of its products, which are in NAME.csv. SPDX-License-Identifier: MIT
BEGIN {
  print "# Summary of `" name "`"
  print ""
  print "[performance.md](../performance.md) explains what is measured and how; [" name ".csv](" name ".csv) has each product."
  print ""
}
/^##/ { skipped = /^## / || /, [0-9]+ threads?$/ }
skipped { next }
/^- (unsteady|machine):/ && !begun++ { print "## the run\n" }
{
  sub(/^### /, "## ")
  print
}
