// Load tools, schemas and examples once, metrics and invalid messages every two
// seconds, and ask for a token when the server requires one.
import { makeForm } from './form.js';
import { make, memberText, setText, showBytes, showJson, showNumber, showPlace, showSeconds, showTable } from './show.js';

const PERIOD_MS = 2000;
const SAMPLES_MAX = 60; // two minutes
const TOKEN_KEY = 'mcpgate.token';

const byId = (id) => document.getElementById(id);

// ---- requests ----

class TokenNeeded extends Error {}

async function send(path, body) {
    const token = sessionStorage.getItem(TOKEN_KEY);
    const headers = {};
    if (token) headers.Authorization = `Bearer ${token}`;
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    const response = await fetch(path, { method: body === undefined ? 'GET' : 'POST', headers, body, cache: 'no-store' });
    if (response.status === 401) {
        showTokenForm(token);
        throw new TokenNeeded('token required');
    }
    return { status: response.status, text: await response.text() };
}

async function get(path) {
    const reply = await send(path);
    if (reply.status !== 200) throw new Error(`${path}: HTTP ${reply.status}`);
    return reply.text;
}

// The text of a built-in tool's result, so that numbers in it keep all their digits.
async function call(tool, params = {}) {
    const reply = await send('rpc', JSON.stringify({ jsonrpc: '2.0', id: 'page', method: tool, params }));
    return memberText(reply.text, 'result') ?? '{}';
}

// ---- status line ----

let announced = '';

// Screen readers read the status line aloud, so it changes only when there is something new.
function announce(state, text) {
    if (announced === text) return;
    announced = text;
    byId('status').dataset.state = state;
    setText(byId('status'), text);
}

// ---- token ----

// sentToken is the token of the request that was refused, or null. Two requests run at a time, and both may be refused.
function showTokenForm(sentToken) {
    const form = byId('token-form');
    sessionStorage.removeItem(TOKEN_KEY);
    byId('forget').hidden = true;
    announce('bad', sentToken ? 'Wrong token' : 'Token required');
    if (form.hidden) {
        form.hidden = false;
        byId('main').hidden = true;
        byId('token').focus();
    }
}

function hideTokenForm() {
    byId('token-form').hidden = true;
    byId('main').hidden = false;
    byId('forget').hidden = sessionStorage.getItem(TOKEN_KEY) === null;
}

byId('token-form').addEventListener('submit', async (event) => {
    event.preventDefault();
    sessionStorage.setItem(TOKEN_KEY, byId('token').value.trim());
    byId('token').value = '';
    announce('', 'Connecting…');
    await refresh();
    if (byId('token-form').hidden) byId('main').focus();
});

byId('forget').addEventListener('click', () => {
    sessionStorage.removeItem(TOKEN_KEY);
    location.reload();
});

// ---- metrics ----

const SAMPLE = /^mcpgate_([a-z_]+)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-z_]+)="((?:[^"\\]|\\.)*)"/g;

const unescapeLabel = (text) => text.replace(/\\(.)/g, (_, c) => (c === 'n' ? '\n' : c));

// Prometheus text as {name: [{labels, value}]}.
function readMetrics(text) {
    const families = {};
    for (const line of text.split('\n')) {
        const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
        if (!name) continue;
        const named = Object.fromEntries([...labels.matchAll(LABEL)].map(([, key, word]) => [key, unescapeLabel(word)]));
        (families[name] ??= []).push({ labels: named, value: Number(value) });
    }
    return families;
}

const sum = (samples = []) => samples.reduce((total, sample) => total + sample.value, 0);

// The upper bound of the histogram bucket in which the given part of all durations is reached.
function quantile(buckets = [], part) {
    const wanted = (buckets.at(-1)?.value ?? 0) * part;
    const bucket = wanted > 0 ? buckets.find((one) => one.value >= wanted) : undefined;
    if (!bucket) return '–';
    const longest = buckets.at(-2)?.labels.le; // the last bucket has no upper bound
    return bucket.labels.le === '+Inf' ? `> ${showSeconds(Number(longest))}` : `≤ ${showSeconds(Number(bucket.labels.le))}`;
}

function showCards(metrics, rate) {
    const cards = {
        Messages: showNumber(sum(metrics.requests_total)),
        Errors: showNumber(sum(metrics.failures_total)),
        'Messages/s': showNumber(rate.messages),
        Median: quantile(metrics.request_duration_seconds_bucket, 0.5),
        p99: quantile(metrics.request_duration_seconds_bucket, 0.99),
        Connections: showNumber(sum(metrics.connections)),
        Waiting: showNumber(sum(metrics.requests_waiting)),
        Received: showBytes(sum(metrics.input_bytes_total)),
        Sent: showBytes(sum(metrics.output_bytes_total)),
        'Files loaded': `${showSeconds(Math.max(1, Math.round(sum(metrics.snapshot_age_seconds))))} ago`,
    };
    const list = byId('cards');
    for (const [name, value] of Object.entries(cards)) {
        let card = list.querySelector(`[data-name="${name}"]`);
        if (!card) {
            card = make('div', { 'data-name': name }, make('dt', {}, name), make('dd'));
            list.append(card);
        }
        setText(card.lastChild, value);
    }
}

// Rows of two families side by side: the labels named, the count, the errors.
function pairRows(all = [], failed = [], names) {
    const failures = new Map(failed.map((sample) => [JSON.stringify(sample.labels), sample.value]));
    return all.map((sample) => [
        ...names.map((name) => sample.labels[name]),
        showNumber(sample.value),
        showNumber(failures.get(JSON.stringify(sample.labels)) ?? 0),
    ]);
}

function showTables(metrics) {
    const stages = (metrics.stage_failures_total ?? []).map((sample) => [sample.labels.stage, sample.labels.dialect, showNumber(sample.value)]);
    const tables = [
        showTable('Messages', ['Dialect', 'Transport', 'Messages', 'Errors'], 2, pairRows(metrics.requests_total, metrics.failures_total, ['dialect', 'transport'])),
        showTable('Tool calls', ['Tool', 'Calls', 'Errors'], 1, pairRows(metrics.tool_requests_total, metrics.tool_failures_total, ['tool'])),
        showTable('Errors by stage', ['Stage', 'Dialect', 'Errors'], 2, stages),
    ].filter((table) => table.querySelector('td'));
    const place = byId('tables');
    const next = make('div', {}, ...tables);
    if (next.textContent !== place.textContent) place.replaceChildren(...next.childNodes);
}

const samples = []; // {messages, failures} per second, oldest first
let last; // the totals before, and their time

function takeSample(metrics) {
    const now = { at: performance.now(), messages: sum(metrics.requests_total), failures: sum(metrics.failures_total) };
    const seconds = last ? (now.at - last.at) / 1000 : 0;
    const per = (name) => (seconds > 0 ? Math.max(0, now[name] - last[name]) / seconds : 0);
    const rate = { messages: per('messages'), failures: per('failures') };
    last = now;
    samples.push(rate);
    if (samples.length > SAMPLES_MAX) samples.shift();
    return rate;
}

function showChart() {
    const peak = Math.max(1, ...samples.map((sample) => sample.messages));
    const line = (name) => samples.map((sample, i) => {
        const x = 600 - (samples.length - 1 - i) * (600 / (SAMPLES_MAX - 1));
        return `${x.toFixed(1)},${(78 - (sample[name] / peak) * 76).toFixed(1)}`;
    }).join(' ');
    byId('line-messages').setAttribute('points', line('messages'));
    byId('line-failures').setAttribute('points', line('failures'));
    setText(byId('peak'), showNumber(Math.max(0, ...samples.map((sample) => sample.messages))));
}

function showMetrics(text) {
    const metrics = readMetrics(text);
    const rate = takeSample(metrics);
    showCards(metrics, rate);
    showTables(metrics);
    showChart();
}

// ---- invalid messages ----

let shownProblems;

function showProblem(problem) {
    const tag = (name, value) => make('span', {}, `${name}: `, make('span', { class: 'mono' }, value));
    const tags = [['tool', 'tool'], ['client', 'client'], ['dialect', 'dialect'], ['stage', 'stage'], ['status', 'status'], ['schemaPath', 'schema path']]
        .filter(([member]) => problem[member])
        .map(([member, name]) => tag(name, problem[member]));
    const when = make('time', { datetime: problem.last }, new Date(problem.last).toLocaleString());
    const often = problem.count > 1 ? `, ${showNumber(problem.count)} times since ${new Date(problem.first).toLocaleString()}` : '';
    return make('li', { class: 'item' },
        make('p', { class: 'message' }, problem.message ?? problem.status ?? 'invalid'),
        make('p', { class: 'hint' }, when, often),
        showPlace(problem.pointer ?? '', problem.message ?? 'here'),
        make('p', { class: 'tags' }, ...tags));
}

function showProblems(text) {
    if (text === shownProblems) return;
    shownProblems = text;
    const { mismatches } = JSON.parse(text);
    byId('problem-list').replaceChildren(...mismatches.map(showProblem));
    if (mismatches.length === 0) byId('problem-list').append(make('li', { class: 'item' }, 'None yet. Messages that are refused appear here.'));
}

// ---- tools, schemas, examples ----

// A closed box that is filled when it is first opened.
function makeBox(title, className, fill, explanation = '') {
    const box = make('details', { class: className }, make('summary', {}, make('span', {}, title), ' ', make('span', { class: 'explanation' }, explanation)));
    box.addEventListener('toggle', () => { if (box.open && box.children.length === 1) fill(box); });
    return box;
}

function showTool(tool) {
    const schemaBox = (title, schema) => makeBox(title, undefined, (box) => box.append(showJson(JSON.stringify(schema), [], title)));
    return makeBox(tool.name, 'item', (box) => {
        box.append(make('p', {}, tool.description ?? ''), makeForm(tool, send), schemaBox('Input schema', tool.inputSchema));
        if (tool.outputSchema) box.append(schemaBox('Output schema', tool.outputSchema));
    }, tool.title);
}

function showSchema(schema) {
    return makeBox(schema.name, 'item', async (box) => {
        try {
            box.append(showJson(await get(`schemas/${encodeURIComponent(schema.path)}`), [], schema.name));
        } catch (error) {
            box.append(make('p', { class: 'problem' }, error.message));
        }
    }, schema.version);
}

// A list of examples above the form; choosing one fills its fields.
function makeExampleField(examples, form) {
    const id = 'example';
    const control = make('select', { id }, make('option', { value: '' }, '(none)'), ...examples.map(({ path }) => make('option', {}, path)));
    control.addEventListener('change', async () => {
        if (control.value === '') return;
        const result = await call('get_example', { path: control.value });
        const example = memberText(result, 'example');
        if (example === undefined) return; // not valid, so the server does not hand it out
        form.elements.asset.value = showJson(example).textContent;
        form.elements.schema.value = memberText(result, 'schema');
    });
    return make('div', { class: 'field' }, make('label', { for: id }, 'Start from an example'), control);
}

// The form of validate_asset, with the schemas to choose from.
function showValidate(tool, schemas, examples) {
    const place = byId('validate-form');
    if (!tool || schemas.length === 0) {
        place.replaceChildren('There are no schemas to validate against. Start the server with --schemas-dir DIR; "mcpgate init" makes one.');
        return;
    }
    const { schema, asset } = tool.inputSchema.properties;
    const inputSchema = {
        ...tool.inputSchema,
        required: ['schema', 'asset'],
        properties: {
            schema: { ...schema, enum: schemas.map(({ name }) => name), description: undefined },
            asset: { ...asset, description: undefined },
        },
    };
    const form = makeForm({ ...tool, inputSchema }, send, { button: 'Validate', success: 'Valid.', labels: { schema: 'Schema', asset: 'Document' } });
    if (examples.length > 0) form.prepend(makeExampleField(examples, form));
    place.replaceChildren(form);
}

function showConnections() {
    const url = new URL('mcp', location.href).href;
    const hasToken = sessionStorage.getItem(TOKEN_KEY) !== null;
    const entry = { type: 'http', url, ...(hasToken ? { headers: { Authorization: 'Bearer TOKEN' } } : {}) };
    const rows = {
        Address: url,
        'Claude Code': `claude mcp add --transport http gate ${url}${hasToken ? ' --header "Authorization: Bearer TOKEN"' : ''}`,
        'Cursor (mcp.json)': JSON.stringify({ mcpServers: { gate: entry } }),
        'VS Code (.vscode/mcp.json)': JSON.stringify({ servers: { gate: entry } }),
    };
    byId('connections').replaceChildren(...Object.entries(rows).flatMap(([name, text]) => [make('dt', {}, name), make('dd', { class: 'mono' }, text)]));
}

async function showCatalog() {
    const { tools } = JSON.parse(await get('v1/tools'));
    const { schemas = [] } = JSON.parse(await call('list_schemas'));
    const { examples = [] } = JSON.parse(await call('list_examples'));
    byId('tool-list').replaceChildren(...tools.map(showTool));
    byId('schema-list').replaceChildren(...schemas.map(showSchema));
    if (schemas.length === 0) byId('schema-list').append(make('p', { class: 'item' }, 'No schemas. Start the server with --schemas-dir DIR.'));
    showValidate(tools.find((tool) => tool.name === 'validate_asset'), schemas, examples);
    showConnections();
}

// ---- refreshing ----

let hasCatalog = false;
let isPaused = false;
let timer;

async function load() {
    const [metrics, diagnostics] = await Promise.all([get('metrics'), get('diagnostics')]);
    showMetrics(metrics);
    showProblems(diagnostics);
    if (!hasCatalog) {
        await showCatalog();
        hasCatalog = true;
    }
}

async function refresh() {
    clearTimeout(timer);
    try {
        await load();
        hideTokenForm();
        if (!isPaused) announce('good', 'Live');
    } catch (error) {
        if (error instanceof TokenNeeded) return; // the form starts again
        announce('bad', 'The server does not answer');
    }
    clearTimeout(timer);
    if (!isPaused && !document.hidden) timer = setTimeout(refresh, PERIOD_MS);
}

byId('pause').addEventListener('click', () => {
    isPaused = !isPaused;
    byId('pause').setAttribute('aria-pressed', String(isPaused));
    if (isPaused) {
        clearTimeout(timer);
        announce('', 'Paused');
    } else {
        refresh();
    }
});
document.addEventListener('visibilitychange', () => {
    if (!document.hidden && !isPaused && byId('token-form').hidden) refresh();
});
refresh();
