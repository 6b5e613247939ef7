// Tells paneward what pi's agent is doing, an event at a time. Whatever goes
// wrong here stays here: pi waits for it only where the session ends.
import { spawn } from "node:child_process";

// The path that init was run with; a session that paneward starts has another
// one in its environment.
const program = "<<program>>"

// init and a session may both bring this file; one of them tells.
const chosen = (globalThis[Symbol.for("paneward")] ??= import.meta.url);

// One after the other, so that they are recorded in their order.
let last = Promise.resolve();

function run(input) {
	return new Promise((done) => {
		const child = spawn(process.env.PANEWARD || program, ["hook", "record"], {
			stdio: ["pipe", "ignore", "ignore"],
			timeout: 10000,
		});
		child.on("error", done);
		child.on("close", done);
		child.stdin.on("error", () => {});
		child.stdin.end(JSON.stringify(input));
	});
}

function tell(name, ctx, more = {}) {
	let session;
	try {
		// The name of its file, which may be another one than its id.
		session = ctx?.sessionManager?.getSessionFile?.()
			?.replace(/^.*\//, "").replace(/\.jsonl$/, "") ??
			ctx?.sessionManager?.getSessionId?.();
	} catch {}
	const input = { hook_event_name: name, session_id: session, ...more };
	last = last.then(() => run(input)).catch(() => {});
	return last;
}

// The text of a message, or of what a tool gave.
function textOf(content) {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return undefined;
	return content
		.filter((part) => part?.type === "text")
		.map((part) => part.text)
		.join("\n");
}

function ended(messages, ctx) {
	const list = Array.isArray(messages) ? messages : [];
	const message = list.filter((m) => m?.role === "assistant").pop();
	const text = textOf(message?.content);
	// What was cut off is no report.
	if (message?.stopReason === "aborted")
		return void tell("Stop", ctx);
	if (message?.stopReason !== "error")
		return void tell("Stop", ctx, { last_assistant_message: text });
	const why = String(message.errorMessage ?? text ?? "");
	void tell("StopFailure", ctx, {
		error: /\b429\b|rate.?limit/i.test(why) ? "rate_limit" : "server_error",
		last_assistant_message: why,
	});
}

export default function (pi) {
	if (chosen !== import.meta.url) return;
	pi.on("session_start", async (_event, ctx) => {
		void tell("SessionStart", ctx, { source: "startup" });
	});
	pi.on("agent_start", async (_event, ctx) => {
		void tell("UserPromptSubmit", ctx);
	});
	pi.on("tool_result", async (event, ctx) => {
		if (event?.toolName !== "bash") return;
		void tell("PostToolUse", ctx, {
			tool_name: "Bash",
			tool_input: { command: event.input?.command },
			tool_response: { stdout: textOf(event.content) },
		});
	});
	pi.on("agent_end", async (event, ctx) => {
		ended(event?.messages, ctx);
	});
	pi.on("session_before_compact", async (_event, ctx) => {
		void tell("PreCompact", ctx);
	});
	pi.on("session_shutdown", async (_event, ctx) => {
		await tell("SessionEnd", ctx, { reason: "other" });
	});
}
