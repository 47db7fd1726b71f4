/* stated.h: what is known of a session's GPU without measuring it. SPDX-License-Identifier: MIT */
#ifndef LAB_STATED_H
#define LAB_STATED_H

#include "lab/session.h"
#include "model/device.h"

/* The device file of the GPU that is simulated, or of the one that is there. UNSUPPORTED: there is
 * none. */
enum gradus_status gr_stated_device(const struct gr_session *session, struct gr_device *device,
                                    struct gradus_error *error);
/* Puts its rates into the environment; leaves it alone where there is none. */
void gr_session_state_roofs(const struct gr_session *session, struct gr_environment *environment);

#endif
