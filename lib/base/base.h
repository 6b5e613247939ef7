/*
 * base.h - what nearly every file uses.
 */
#ifndef PANEWARD_BASE_H
#define PANEWARD_BASE_H

#include "base/argv.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/msg.h"
#include "base/text.h"
#include "base/utf8.h"

#endif
