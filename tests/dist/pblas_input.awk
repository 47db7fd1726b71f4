# pblas_input.awk: an input file of ScaLAPACK's tester of PBLAS level 3, for P = D or S: 20 products on nine grids of 1 to 6
# processes, with all transposes, first blocks of another size, arrays that begin at any process or are replicated, and
# submatrices anywhere.   awk -f pblas_input.awk -v letter=D    SPDX-License-Identifier: MIT
function draw(from, to) {
  state = (state * 25173 + 13849) % 65536
  return from + int(state / 65536 * (to - from + 1))
}
function line(from, to, text, i, words) {
  words = ""
  for (i = 0; i < tests; i++) words = words draw(from, to) " "
  print words text
}
# Sources: process 0 of each grid, or -1, replicated.
function sources(text, i, words) {
  words = ""
  for (i = 0; i < tests; i++) words = words (draw(0, 4) ? 0 : -1) " "
  print words text
}
function letters(first, second, every, text, i, words) {
  words = ""
  for (i = 0; i < tests; i++) words = words (int(i / every) % 2 ? second : first) " "
  print words text
}
function matrix(name, sizes) {
  print sizes "values of M_" name
  print sizes "values of N_" name
  line(1, 9, "values of IMB_" name)
  line(1, 9, "values of INB_" name)
  line(1, 8, "values of MB_" name)
  line(1, 8, "values of NB_" name)
  sources("values of RSRC_" name)
  sources("values of CSRC_" name)
  line(1, 12, "values of I" name)
  line(1, 12, "values of J" name)
}
BEGIN {
  state = 1; tests = 20
  print "'Level 3 PBLAS, Testing input file'"
  print "'pdgemm and psgemm'"
  print "'" letter "PB3.OUT' output file name (if any)"
  print "6 device out"
  print "F logical flag, T to stop on failures"
  print "T logical flag, T to test error exits"
  print "0 verbosity"
  print "3 the leading dimension gap"
  print "16.0 threshold value of test ratio"
  print "10 value of the logical computational blocksize NB"
  print "9 number of process grids (ordered pairs of P & Q)"
  print "1 1 2 2 1 3 2 6 1 values of P"
  print "1 2 1 2 3 2 3 1 6 values of Q"
  print "2.0D0 value of ALPHA"
  print "3.0D0 value of BETA"
  print tests " number of tests problems"
  letters("'N'", "'U'", 1, "values of DIAG")
  letters("'L'", "'R'", 1, "values of SIDE")
  letters("'N'", "'T'", 1, "values of TRANSA")
  letters("'N'", "'T'", 2, "values of TRANSB")
  letters("'U'", "'L'", 1, "values of UPLO")
  line(1, 30, "values of M")
  line(1, 30, "values of N")
  line(1, 30, "values of K")
  sizes = ""
  for (i = 0; i < tests; i++) sizes = sizes "45 "
  matrix("A", sizes)
  matrix("B", sizes)
  matrix("C", sizes)
  split("GEMM SYMM SYRK SYR2K TRMM TRSM GEADD TRADD", routines, " ")
  for (i = 1; i <= 8; i++) printf "P%s%-5s %s put F for no test in the same column\n", letter, routines[i], i == 1 ? "T" : "F"
}
