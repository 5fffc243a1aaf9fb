// What the page does: asks for figures and invalid messages every two seconds, for
// tools and schemas once, and for a token when the server requires one.
import { makeForm } from './form.js';
import { make, setText, showBytes, showJson, showNumber, showPlace, showSeconds, showTable } from './show.js';

const PERIOD_MS = 2000;
const SAMPLES_MAX = 60; // two minutes
const TOKEN_KEY = 'mcpgate.token';

const byId = (id) => document.getElementById(id);

// ---- asking ----

class TokenNeeded extends Error {}

async function ask(path, body) {
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

async function askFor(path) {
    const reply = await ask(path);
    if (reply.status !== 200) throw new Error(`${path}: HTTP ${reply.status}`);
    return reply.text;
}

// ---- state, as people are told ----

let announced = '';

// Said aloud, so only when it is news.
function announce(state, text) {
    if (announced === text) return;
    announced = text;
    byId('status').dataset.state = state;
    setText(byId('status'), text);
}

// ---- token ----

// refused is the token that was sent, or null; requests go out two at a time, and both may come back.
function showTokenForm(refused) {
    const form = byId('token-form');
    sessionStorage.removeItem(TOKEN_KEY);
    byId('forget').hidden = true;
    announce('bad', refused ? 'Wrong token' : 'Token required');
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
    await begin();
    if (byId('token-form').hidden) byId('main').focus();
});

byId('forget').addEventListener('click', () => {
    sessionStorage.removeItem(TOKEN_KEY);
    location.reload();
});

// ---- figures ----

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

// The upper end of the class that has the given part of all durations.
function quantile(buckets = [], part) {
    const wanted = (buckets.at(-1)?.value ?? 0) * part;
    const bucket = wanted > 0 ? buckets.find((one) => one.value >= wanted) : undefined;
    if (!bucket) return '–';
    const longest = buckets.at(-2)?.labels.le; // the class behind it has no upper end
    return bucket.labels.le === '+Inf' ? `> ${showSeconds(Number(longest))}` : `≤ ${showSeconds(Number(bucket.labels.le))}`;
}

function showCards(metrics, rate) {
    const cards = {
        Messages: showNumber(sum(metrics.requests_total)),
        Failures: showNumber(sum(metrics.failures_total)),
        'Messages per second': showNumber(rate.messages),
        'Median time': quantile(metrics.request_duration_seconds_bucket, 0.5),
        '99th percentile': quantile(metrics.request_duration_seconds_bucket, 0.99),
        Connections: showNumber(sum(metrics.connections)),
        'Waiting requests': showNumber(sum(metrics.requests_waiting)),
        'Bytes received': showBytes(sum(metrics.input_bytes_total)),
        'Bytes sent': showBytes(sum(metrics.output_bytes_total)),
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

// Samples of two families side by side, by the labels named.
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
        showTable('Messages', ['Dialect', 'Transport', 'Messages', 'Failures'], 2, pairRows(metrics.requests_total, metrics.failures_total, ['dialect', 'transport'])),
        showTable('Tool calls', ['Tool', 'Calls', 'Failures'], 1, pairRows(metrics.tool_requests_total, metrics.tool_failures_total, ['tool'])),
        showTable('Failures by stage', ['Stage', 'Dialect', 'Failures'], 2, stages),
    ].filter((table) => table.querySelector('td'));
    const place = byId('tables');
    const next = make('div', {}, ...tables);
    if (next.textContent !== place.textContent) place.replaceChildren(...next.childNodes);
}

const samples = []; // {messages, failures} per second, the oldest first
let last; // totals of the last time, and when

function takeSample(metrics) {
    const now = { at: performance.now(), messages: sum(metrics.requests_total), failures: sum(metrics.failures_total) };
    const seconds = last ? (now.at - last.at) / 1000 : 0;
    // Less than before: the server was started again.
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

function showFigures(text) {
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
    const tags = [['tool', 'tool'], ['client', 'client'], ['dialect', 'dialect'], ['stage', 'stage'], ['status', 'status'], ['schemaPath', 'rule']]
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
    if (mismatches.length === 0) byId('problem-list').append(make('li', { class: 'item' }, 'None so far.'));
}

// ---- tools and schemas ----

// A closed box that is filled when it is first opened.
function makeBox(title, className, fill, explanation = '') {
    const box = make('details', { class: className }, make('summary', {}, make('span', {}, title), ' ', make('span', { class: 'explanation' }, explanation)));
    box.addEventListener('toggle', () => { if (box.open && box.children.length === 1) fill(box); });
    return box;
}

function showTool(tool) {
    const schemaBox = (title, schema) => makeBox(title, undefined, (box) => box.append(showJson(JSON.stringify(schema), [], title)));
    return makeBox(tool.name, 'item', (box) => {
        box.append(make('p', {}, tool.description ?? ''), makeForm(tool, ask), schemaBox('Input schema', tool.inputSchema));
        if (tool.outputSchema) box.append(schemaBox('Output schema', tool.outputSchema));
    }, tool.title);
}

function showSchema(schema) {
    return makeBox(schema.name, 'item', async (box) => {
        try {
            box.append(showJson(await askFor(`schemas/${encodeURIComponent(schema.path)}`), [], schema.name));
        } catch (error) {
            box.append(make('p', { class: 'problem' }, error.message));
        }
    }, schema.version);
}

// The form of validate_asset, with the schemas to choose from.
function showValidate(tool, schemas) {
    byId('validate').hidden = !tool || schemas.length === 0;
    if (byId('validate').hidden) return;
    const { schema, asset } = tool.inputSchema.properties;
    const inputSchema = {
        ...tool.inputSchema,
        required: ['schema', 'asset'],
        properties: {
            schema: { ...schema, enum: schemas.map(({ name }) => name), description: 'The schema to check against.' },
            asset: { ...asset, description: 'The document.' },
        },
    };
    byId('validate-form').replaceChildren(makeForm({ ...tool, inputSchema }, ask, { button: 'Validate', labels: { schema: 'Schema', asset: 'Document' } }));
}

async function showCatalog() {
    const { tools } = JSON.parse(await askFor('v1/tools'));
    byId('tool-list').replaceChildren(...tools.map(showTool));
    const reply = await ask('rpc', '{"jsonrpc":"2.0","id":"page","method":"list_schemas","params":{}}');
    const schemas = JSON.parse(reply.text).result?.schemas ?? [];
    byId('schema-list').replaceChildren(...schemas.map(showSchema));
    if (schemas.length === 0) byId('schema-list').append(make('p', { class: 'item' }, 'No schemas. Start the server with --schemas-dir DIR.'));
    showValidate(tools.find((tool) => tool.name === 'validate_asset'), schemas);
}

// ---- going round ----

let hasCatalog = false;
let isPaused = false;
let timer;

async function refresh() {
    const [metrics, diagnostics] = await Promise.all([askFor('metrics'), askFor('diagnostics')]);
    showFigures(metrics);
    showProblems(diagnostics);
    if (!hasCatalog) {
        await showCatalog();
        hasCatalog = true;
    }
}

async function begin() {
    clearTimeout(timer);
    try {
        await refresh();
        hideTokenForm();
        if (!isPaused) announce('good', 'Live');
    } catch (error) {
        if (error instanceof TokenNeeded) return; // until there is one
        announce('bad', 'The server does not answer');
    }
    clearTimeout(timer);
    if (!isPaused && !document.hidden) timer = setTimeout(begin, PERIOD_MS);
}

byId('pause').addEventListener('click', () => {
    isPaused = !isPaused;
    byId('pause').setAttribute('aria-pressed', String(isPaused));
    if (isPaused) {
        clearTimeout(timer);
        announce('', 'Paused');
    } else {
        begin();
    }
});
document.addEventListener('visibilitychange', () => {
    if (!document.hidden && !isPaused && byId('token-form').hidden) begin();
});
begin();
