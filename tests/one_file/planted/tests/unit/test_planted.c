/* test_planted.c: a unit test that is added by the test of "one file". SPDX-License-Identifier: MIT
 */
int main(void)
{
    return 0;
}
