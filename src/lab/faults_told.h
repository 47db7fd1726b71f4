/* faults_told.h: the faults that the simulator saw, in plain words. SPDX-License-Identifier: MIT */
#ifndef LAB_FAULTS_TOLD_H
#define LAB_FAULTS_TOLD_H

#include "lab/analysis.h"

/* Appends a finding for each fault of the specimen's trace; nothing where there is no trace. */
void gr_faults_tell(const struct gr_specimen *specimen, struct gr_findings *findings);
/* True for the kinds that say that the kernel is wrong: what gr_faults_tell appends, and that its process died. */
bool gr_finding_is_fault(enum gr_finding_kind kind);

#endif
