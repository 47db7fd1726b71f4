/* planted_needed.c: what planted.c needs, in a folder where the loader does not look.
 * SPDX-License-Identifier: MIT */
int needed_number(void);
int needed_number(void)
{
    return 5;
}
