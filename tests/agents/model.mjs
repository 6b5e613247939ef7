// model.mjs - a model that says what a scenario tells it to, for clients of
// the Anthropic Messages API, OpenAI's Responses and Chat Completions, and
// Google's generateContent.
//
//	node model.mjs SCENARIO.json LOG PORT
//
// A scenario is a list of replies.  A request that offers a shell is the
// agent's own and takes the next one; any other, such as for a title, gets a
// word.
//
//	{ "say": TEXT }                 the message
//	{ "say": [TEXT, ...] }          ... in these pieces
//	{ "run": COMMAND }              a call of the client's shell tool
//	{ "ask": true }                 with that: one that a person must allow
//	{ "question": TEXT }            a call of the tool that asks a person
//	{ "call": { "name": TOOL, "input": {...} } }    a call of any other tool
//	{ "status": 429, "text": TEXT, "headers": {...} }     an error instead
//	{ "hold": true }                what is said before it, and then nothing
//	{ "until": FILE }               with any of these: not before it exists
//	{ "seconds": N }                with any of these: that much later
//	{ "times": N }                  with any of these: N requests in a row
//	{ "before": FILE }              ... or all, as long as it does not exist
//	{ "helper": TEXT }              with any of these: for the helper whose
//	                                task has that text, and for no other
//
// A scenario may be a table instead, a list of cases, each with its replies, or
// with one in its place.  The conversation names its case in brackets, and its
// issue: "issue 42: [a fence]".  Its first reply is given when the file CASE.go
// is beside LOG, its last one again and again; each issue gets them all.
//
// In a text, %d is the number of the request and %i the issue.  LOG gets a line
// of JSON for each request: its number, its case, and what it brings, the
// messages since the model's last one.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [scenario, log, port] = process.argv.slice(2);
const script = JSON.parse(readFileSync(scenario, 'utf8'));
const repeated = (replies) => replies
	.flatMap((reply) => Array(reply.times ?? 1).fill(reply));
const cases = new Map(script.filter((row) => row.case)
	.map((row) => [`[${row.case}]`, repeated(row.replies ?? [row])]));
const begun = (name) => name === undefined ||
	existsSync(`${dirname(log)}/${name.slice(1, -1)}.go`);
const OVER = { say: 'The scenario is over.' };
const queues = new Map();               // by case and issue
const TITLE = { say: '{"title":"a test","isNewTopic":false}' };
const PIECE = 20;                       // characters, as models stream
const PURPOSE = 'what the scenario says';
let requests = 0;

// The case that a conversation named last, if there is a table.
function caseOf(conversation) {
	const named = [...cases.keys()]
		.map((name) => [conversation.lastIndexOf(name), name])
		.sort(([a], [b]) => b - a)[0];

	return named?.[0] >= 0 ? named[1] : undefined;
}

// A helper's conversation begins with its task.
function helperReply(body) {
	const task = JSON.stringify(body.messages?.[0] ?? '');
	const at = script.findIndex((row) => row.helper &&
		task.includes(row.helper));

	return at === -1 ? undefined : script.splice(at, 1)[0];
}

function nextReply(name, issue) {
	const key = `${issue} ${name}`;

	if (!queues.has(key))
		queues.set(key, [...cases.get(name) ??
			[...repeated(script.filter((row) => !row.helper)), OVER]]);
	const rest = queues.get(key);

	while (rest[0].before && existsSync(rest[0].before))
		rest.shift();
	return rest.length > 1 && !rest[0].before ? rest.shift() : rest[0];
}

const isShell = (tool) =>
	/^(bash|shell_command|exec_command|run_shell_command)$/i.test(tool.name);
const isQuestion = (tool) =>
	/^(AskUserQuestion|question|request_user_input|ask_user(_question)?)$/
		.test(tool.name);

const isStrict = (tool) => tool.parameters?.additionalProperties === false &&
	!('description' in tool.parameters.properties);
const showsCommands = (body) => body.stream === true &&
	JSON.stringify(body.messages ?? '').includes('SEARCH/REPLACE');

// A tool asks one thing with its choices, by a form, or a list of things, of which some
// clients take no other member than their own.
function questions(text, tool) {
	const schema = tool.parameters ?? tool.input_schema;
	const takes = schema?.properties ?? {};
	const known = (schema?.$defs?.UserQuestion ??
		takes.questions?.items)?.properties;
	const asked = { question: text, id: 'which', header: 'Which',
		type: 'choice', multiSelect: false, options: [
			{ label: 'This', description: 'the first one' },
			{ label: 'That', description: 'the second one' }] };

	if ('choices' in takes)
		return { question: text, choices: ['This', 'That'] };
	if ('requestedSchema' in takes)
		return { message: text, requestedSchema: { properties: { which: {
			type: 'string', enum: ['This', 'That'] } } } };
	return { questions: [Object.fromEntries(Object.entries(asked)
		.filter(([name]) => !known || name in known))] };
}

// The messages behind the last one of that role.
const since = (messages, role) =>
	messages.slice(messages.findLastIndex((m) => m.role === role) + 1);

// What a reply says, piece by piece, and the call that it makes, if any.
function contentOf(reply, n, issue, dialect, tools) {
	const fill = (text) => text.replaceAll('%d', String(n))
		.replaceAll('%i', issue);
	const pieces = Array.isArray(reply.say) ? reply.say.map(fill) :
		fill(reply.say ?? '').match(new RegExp(`[^]{1,${PIECE}}`, 'gu'));
	const content = { n, pieces: pieces ?? [] };
	const shell = tools.find(isShell);

	if (reply.run && !shell) {
		content.pieces.push(`\n\n\`\`\`bash\n${fill(reply.run)}\n\`\`\`\n`);
	} else if (reply.run) {
		content.call = { name: shell.name, input: {
			[dialect.takes(shell)]: fill(reply.run),
			...!isStrict(shell) && { description: PURPOSE },
			...reply.ask && dialect.asks } };
	} else if (reply.call) {
		content.call = reply.call;
	} else if (reply.question) {
		const tool = tools.find(isQuestion);

		content.call = { name: tool.name,
			input: questions(fill(reply.question), tool) };
	}
	return content;
}

function sendJson(response, status, value, headers = {}) {
	response.writeHead(status, { 'content-type': 'application/json',
		...headers });
	response.end(JSON.stringify(value));
}

function beginStream(response) {
	response.writeHead(200, { 'content-type': 'text/event-stream' });
	return (type, rest) => response.write(
		`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);
}

// ---- the Anthropic Messages API ---------------------------------------------

const errorNames = {
	400: 'invalid_request_error',
	401: 'authentication_error',
	429: 'rate_limit_error',
	500: 'api_error',
	529: 'overloaded_error',
};

const messages = {
	path: /\/messages$/,
	tools: (body) => body.tools ?? [],
	takes: () => 'command',
	brought: (body) => since(body.messages, 'assistant'),

	error: ({ status, text }) => ({ type: 'error', error: {
		type: errorNames[status] ?? 'api_error', message: text } }),

	// A block begins empty and grows by deltas.
	blocks({ n, pieces, call }) {
		const blocks = [];

		if (pieces.length > 0)
			blocks.push({ whole: { type: 'text',
				text: pieces.join('') },
			empty: { type: 'text', text: '' },
			deltas: pieces.map((text) => ({ type: 'text_delta',
				text })) });
		if (call) {
			const use = { type: 'tool_use', id: `toolu_${n}`, ...call };

			blocks.push({ whole: use, empty: { ...use, input: {} },
				deltas: [{ type: 'input_json_delta',
					partial_json: JSON.stringify(call.input) }] });
		}
		return blocks;
	},

	send(response, body, content, hold) {
		const blocks = this.blocks(content);
		const reason = content.call ? 'tool_use' : 'end_turn';
		const message = { id: `msg_${content.n}`, type: 'message',
			role: 'assistant', model: body.model,
			content: blocks.map((block) => block.whole),
			stop_sequence: null, stop_reason: reason,
			usage: { input_tokens: 100, output_tokens: 1 } };

		if (body.stream)
			this.stream(response, message, blocks, hold);
		else
			sendJson(response, 200, message);
	},

	stream(response, message, blocks, hold) {
		const send = beginStream(response);

		send('message_start', { message: { ...message, content: [],
			stop_reason: null } });
		blocks.forEach(({ empty, deltas }, index) => {
			send('content_block_start', { index,
				content_block: empty });
			for (const delta of deltas)
				send('content_block_delta', { index, delta });
			if (!hold)
				send('content_block_stop', { index });
		});
		if (hold)
			return;
		send('message_delta', { delta: {
			stop_reason: message.stop_reason, stop_sequence: null },
		usage: { output_tokens: 20 } });
		send('message_stop', {});
		response.end();
	},
};

// ---- OpenAI's Responses -----------------------------------------------------

const responses = {
	path: /\/responses$/,
	tools: (body) => body.tools ?? [],
	asks: { sandbox_permissions: 'require_escalated',
		justification: PURPOSE },
	takes: (tool) => 'cmd' in tool.parameters.properties ? 'cmd' : 'command',
	brought: (body) => since(body.input, 'assistant'),

	error: ({ status, text }) => ({ error: { message: text,
		type: errorNames[status] ?? 'api_error', code: String(status) } }),

	send(response, body, { n, pieces, call }, hold) {
		const send = beginStream(response);
		const output = [];
		const state = (status) => ({ response: { id: `resp_${n}`,
			object: 'response', status, model: body.model, output,
			usage: { input_tokens: 100, output_tokens: 20,
				total_tokens: 120 } } });
		const done = (item) => {
			send('response.output_item.done', {
				output_index: output.length, item });
			output.push(item);
		};

		send('response.created', state('in_progress'));
		if (pieces.length > 0) {
			const at = { item_id: `msg_${n}`, output_index: 0,
				content_index: 0 };
			const item = { id: at.item_id, type: 'message',
				role: 'assistant' };

			send('response.output_item.added', { output_index: 0,
				item: { ...item, content: [] } });
			for (const delta of pieces)
				send('response.output_text.delta',
					{ ...at, delta });
			if (!hold)
				done({ ...item, content: [{
					type: 'output_text',
					text: pieces.join('') }] });
		}
		if (hold)
			return;
		if (call)
			done({ id: `fc_${n}`, type: 'function_call',
				call_id: `call_${n}`, name: call.name,
				arguments: JSON.stringify(call.input) });
		send('response.completed', state('completed'));
		response.end();
	},
};

// ---- OpenAI's Chat Completions ----------------------------------------------

const completions = {
	path: /\/chat\/completions$/,
	tools: (body) => (body.tools ?? []).map((tool) => tool.function),
	takes: responses.takes,
	brought: messages.brought,
	error: responses.error,

	send(response, body, { n, pieces, call }, hold) {
		const head = { id: `chatcmpl-${n}`, created: 1, model: body.model };
		const calls = call && [{ index: 0, id: `call_${n}`,
			type: 'function', function: { name: call.name,
				arguments: JSON.stringify(call.input) } }];
		const reason = call ? 'tool_calls' : 'stop';
		const usage = { prompt_tokens: 100, completion_tokens: 20,
			total_tokens: 120 };

		if (!body.stream) {
			sendJson(response, 200, { ...head, usage,
				object: 'chat.completion', choices: [{ index: 0,
					finish_reason: reason, message: {
						role: 'assistant', tool_calls: calls,
						content: pieces.join('') } }] });
			return;
		}
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		const send = (value) => response.write(`data: ${value}\n\n`);
		const chunk = (choices, rest) => send(JSON.stringify({ ...head,
			object: 'chat.completion.chunk', choices, ...rest }));
		const delta = (value, finish) => chunk([{ index: 0, delta: value,
			finish_reason: finish ?? null }]);

		response.flushHeaders();
		delta({ role: 'assistant', content: '' });
		for (const content of pieces)
			delta({ content });
		if (hold)
			return;
		if (calls)
			delta({ tool_calls: calls });
		delta({}, reason);
		chunk([], { usage });
		send('[DONE]');
		response.end();
	},
};

// ---- Google's generateContent -----------------------------------------------

const generate = {
	path: /:(stream)?generateContent$/i,
	tools: (body) => body.tools?.flatMap((tool) =>
		tool.functionDeclarations ?? []) ?? [],
	takes: () => 'command',
	brought: (body) => since(body.contents, 'model'),

	// Without a quota's name it is asked again and again.
	error: ({ status, text }) => ({ error: { code: status, message: text,
		status: status === 429 ? 'RESOURCE_EXHAUSTED' : 'INVALID_ARGUMENT',
		details: status !== 429 ? [] : [{
			'@type': 'type.googleapis.com/google.rpc.QuotaFailure',
			violations: [{ quotaId: 'GenerateRequestsPerDay' }] }] } }),

	send(response, body, { pieces, call }, hold, path) {
		const chunk = (parts, rest) => ({ candidates: [{ index: 0,
			content: { role: 'model', parts }, ...rest }],
		usageMetadata: { promptTokenCount: 100,
			candidatesTokenCount: 20, totalTokenCount: 120 },
		modelVersion: 'scripted' });
		const parts = pieces.map((text) => ({ text }));
		const end = { finishReason: 'STOP' };

		if (call)
			parts.push({ functionCall: { name: call.name,
				args: call.input } });
		if (!path.includes('stream')) {
			sendJson(response, 200, chunk(parts, end));
			return;
		}
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		const send = (value) => response.write(
			`data: ${JSON.stringify(value)}\r\n\r\n`);

		response.flushHeaders();
		for (const part of parts)
			send(chunk([part], {}));
		if (hold)
			return;
		send(chunk([{ text: '' }], end));
		response.end();
	},
};

// ---- a request --------------------------------------------------------------

const dialects = [messages, responses, completions, generate];

async function answer(dialect, path, body, response) {
	const tools = dialect.tools(body);
	const own = tools.some(isShell) || showsCommands(body);
	const n = own ? ++requests : 0;
	const conversation = own ? JSON.stringify(body) : '';
	const issue = [...conversation.matchAll(/\bissue (\d+): \[/g)]
		.at(-1)?.[1] ?? '';
	const name = caseOf(conversation);
	const reply = own ? helperReply(body) ?? nextReply(name, issue) : TITLE;

	if (own)
		appendFileSync(log, JSON.stringify({ request: n, case: name,
			brought: dialect.brought(body) }) + '\n');
	while (!begun(name) || reply.until && !existsSync(reply.until))
		await sleep(20);
	await sleep(1000 * (reply.seconds ?? 0));
	if (reply.status)
		sendJson(response, reply.status, dialect.error({
			text: 'a scripted error', ...reply }), reply.headers);
	else
		dialect.send(response, body,
			contentOf(reply, n, issue, dialect, tools),
			reply.hold, path);
}

async function receive(request, response) {
	const path = request.url.split('?')[0];
	const dialect = dialects.find((d) => d.path.test(path));
	let text = '';

	request.setEncoding('utf8');
	for await (const piece of request)
		text += piece;
	if (dialect)
		await answer(dialect, path, JSON.parse(text), response);
	else if (path.endsWith('/count_tokens'))
		sendJson(response, 200, { input_tokens: 100 });
	else if (path.endsWith(':countTokens'))
		sendJson(response, 200, { totalTokens: 100 });
	else
		sendJson(response, 404, { type: 'error', error: {
			type: 'not_found_error', message: path } });
}

createServer((request, response) => {
	receive(request, response).catch((error) => {
		console.error(`model: ${error.message}`);
		response.destroy();
	});
}).listen(Number(port), '127.0.0.1', () => appendFileSync(log, ''));
