#include "chain/detect.h"

#include "chain/detectors.h"

const struct detector chain[] = {
	{ "signal",  EVIDENCE_SIGNAL,  detect_signal  }, /* the agent's file */
	{ "hook",    EVIDENCE_HOOK,    detect_hook    }, /* the agent's hooks */
	{ "log",     EVIDENCE_LOG,     detect_log     }, /* a marker in output */
	{ "capture", EVIDENCE_CAPTURE, detect_capture }, /* a marker on screen */
	{ "process", EVIDENCE_PROCESS, detect_process }, /* dead, gone, stalled */
	{ "screen",  EVIDENCE_SCREEN,  detect_screen  }, /* busy, asking */
};

const size_t chain_length = sizeof(chain) / sizeof(chain[0]);
