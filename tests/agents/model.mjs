// model.mjs - a model that says what a scenario tells it to, for clients of
// the Anthropic Messages API.
//
//	node model.mjs SCENARIO.json LOG PORT
//
// A scenario is a list of replies.  A request that offers tools is the agent's
// own and takes the next one; any other, such as for a title, gets a word.
//
//	{ "say": TEXT }                 the message
//	{ "run": COMMAND }              a call of the client's shell tool
//	{ "status": 429, "text": TEXT, "headers": {...} }     an error instead
//	{ "hold": true }                what is said before it, and then nothing
//	{ "until": FILE }               with any of these: not before it exists
//	{ "times": N }                  with any of these: N requests in a row
//
// In a text, %d is the number of the request.  LOG gets a line of JSON for each
// request: its number and the last message that it brought.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const [scenario, log, port] = process.argv.slice(2);
const replies = JSON.parse(readFileSync(scenario, 'utf8'))
	.flatMap((reply) => Array(reply.times ?? 1).fill(reply));
const OVER = { say: 'The scenario is over.' };
const TITLE = { say: '{"title":"a test","isNewTopic":false}' };
const PIECE = 20;                       // characters, as models stream
let requests = 0;

const isShell = (tool) => /^bash$/i.test(tool.name);

// The errors have names of their own.
const errorNames = {
	400: 'invalid_request_error',
	401: 'authentication_error',
	429: 'rate_limit_error',
	500: 'api_error',
	529: 'overloaded_error',
};

function sendJson(response, status, value, headers = {}) {
	response.writeHead(status, { 'content-type': 'application/json',
		...headers });
	response.end(JSON.stringify(value));
}

function sendError(response, reply) {
	sendJson(response, reply.status, { type: 'error', error: {
		type: errorNames[reply.status] ?? 'api_error',
		message: reply.text ?? 'a scripted error' } }, reply.headers);
}

// What the reply says and does, as the blocks of a message.
function blocksOf(reply, n) {
	const fill = (text) => text.replaceAll('%d', String(n));
	const blocks = [];

	if (reply.say)
		blocks.push({ type: 'text', text: fill(reply.say) });
	if (reply.run)
		blocks.push({ type: 'tool_use', id: `toolu_${n}`, name: 'Bash',
			input: { command: fill(reply.run),
				description: 'what the scenario says' } });
	return blocks;
}

// A block begins empty and grows by deltas.
function emptyBlock(block) {
	return block.type === 'text' ? { type: 'text', text: '' } :
		{ ...block, input: {} };
}

function deltasOf(block) {
	if (block.type !== 'text')
		return [{ type: 'input_json_delta',
			partial_json: JSON.stringify(block.input) }];
	return (block.text.match(new RegExp(`[^]{1,${PIECE}}`, 'gu')) ?? [])
		.map((text) => ({ type: 'text_delta', text }));
}

function stream(response, message, hold) {
	const send = (type, rest) => response.write(
		`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);

	response.writeHead(200, { 'content-type': 'text/event-stream' });
	send('message_start', { message: { ...message, content: [],
		stop_reason: null } });
	message.content.forEach((block, index) => {
		send('content_block_start', { index,
			content_block: emptyBlock(block) });
		for (const delta of deltasOf(block))
			send('content_block_delta', { index, delta });
		if (!hold)
			send('content_block_stop', { index });
	});
	if (hold)
		return;
	send('message_delta', { delta: { stop_reason: message.stop_reason,
		stop_sequence: null }, usage: { output_tokens: 20 } });
	send('message_stop', {});
	response.end();
}

async function answer(body, response) {
	const tools = body.tools ?? [];
	const shell = tools.find(isShell);
	const n = shell ? ++requests : 0;
	const reply = shell ? replies[n - 1] ?? OVER : TITLE;
	const content = blocksOf(reply, n);
	const message = { id: `msg_${n}`, type: 'message', role: 'assistant',
		model: body.model, content, stop_sequence: null,
		stop_reason: reply.run ? 'tool_use' : 'end_turn',
		usage: { input_tokens: 100, output_tokens: 1 } };

	if (shell) {
		appendFileSync(log, JSON.stringify({ request: n,
			last: body.messages.at(-1) }) + '\n');
		for (const block of content.filter((b) => b.name))
			block.name = shell.name;
	}
	while (reply.until && !existsSync(reply.until))
		await sleep(20);
	if (reply.status)
		sendError(response, reply);
	else if (body.stream)
		stream(response, message, reply.hold);
	else
		sendJson(response, 200, message);
}

async function receive(request, response) {
	const path = request.url.split('?')[0];
	let text = '';

	request.setEncoding('utf8');
	for await (const piece of request)
		text += piece;
	if (path.endsWith('/messages'))
		await answer(JSON.parse(text), response);
	else if (path.endsWith('/count_tokens'))
		sendJson(response, 200, { input_tokens: 100 });
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
