#include "chain/detect.h"

#include "chain/detectors.h"

const struct detector chain[] = {
	{ "signal",  EVIDENCE_SIGNAL,  look_signal  }, /* the agent's file */
	{ "record",  EVIDENCE_HOOK,    look_hook    }, /* the agent's hooks */
	{ "log",     EVIDENCE_LOG,     look_log     }, /* a marker in output */
	{ "capture", EVIDENCE_CAPTURE, look_capture }, /* a marker on screen */
	{ "process", EVIDENCE_PROCESS, look_process }, /* dead, gone, stalled */
	{ "screen",  EVIDENCE_SCREEN,  look_screen  }, /* busy, asking */
};

const size_t chain_length = sizeof(chain) / sizeof(chain[0]);
