#include "detect.h"

#include "look.h"

const struct detector chain[] = {
	{ "signal",  EVIDENCE_SIGNAL,  look_signal  },  /* the agent's own file */
	{ "log",     EVIDENCE_LOG,     look_log     },  /* a marker in the output */
	{ "capture", EVIDENCE_CAPTURE, look_capture },  /* a marker on the screen */
	{ "process", EVIDENCE_PROCESS, look_process },  /* dead, gone or stalled */
};

const size_t chain_length = sizeof(chain) / sizeof(chain[0]);
