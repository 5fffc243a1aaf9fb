// Compares verdicts with ajv, on schemas and documents made at random.
//
//   node ajv.mjs DRIVER [PAIRS [SEED]]
//
// DRIVER is jsv_verdicts. Exits with 0 when all agree or a rule below explains
// why not (docs/schema.md lists them), 1 when not, 77 when ajv is not installed
// (npm ci in this folder). The same seed makes the same pairs.
import { spawnSync } from "node:child_process";

const [driver, pairsWanted = "20000", seed = "1"] = process.argv.slice(2);

const load = async () => {
    // CommonJS: the class is the default of the default.
    const classOf = async (name) => (await import(name)).default.default;
    return {
        4: await classOf("ajv-draft-04"),
        6: await classOf("ajv"), // as 7, but for keywords that are not generated for 6
        7: await classOf("ajv"),
        "2019-09": await classOf("ajv/dist/2019.js"),
        "2020-12": await classOf("ajv/dist/2020.js"),
    };
};

const libraries = await load().catch((error) => {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
});
if (!libraries) {
    console.log("skipped: ajv is not installed (npm ci in tests/differential)");
    process.exit(77);
}

// ---- chance, the same in every run ----

let state = BigInt(seed);
const random = () => {
    state = (state + 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn;
    let word = state;
    word = ((word ^ (word >> 30n)) * 0xbf58476d1ce4e5b9n) & 0xffffffffffffffffn;
    word = ((word ^ (word >> 27n)) * 0x94d049bb133111ebn) & 0xffffffffffffffffn;
    return Number((word ^ (word >> 31n)) & 0xffffffffn);
};
const below = (bound) => random() % bound;
const chance = (percent) => below(100) < percent;
const pick = (list) => list[below(list.length)];
const some = (list, count) => [...list].sort(() => below(3) - 1).slice(0, count);

// ---- documents: few names and few values, so that schemas have something to say ----

const names = ["a", "b", "c", "kind", "a/b~", "é", "longer than eight", "longer than seven"];
const strings = ["", "a", "b", "ab", "é", "😀", "aaa", "longer than eight", "2020"];
const numbers = [0, 1, 2, 3, -1, -2.5, 0.5, 10, 1e10, 1e300, 9007199254740991];
const patterns = ["^a", "b$", "^[a-c]*$", "é", "^.$", "a|b", "^kind$", "[0-9]{2}", "^$"];
const types = ["null", "boolean", "integer", "number", "string", "array", "object"];

const makeObject = (depth, value) => {
    const object = {};
    for (const name of some(names, below(4))) object[name] = value(depth - 1);
    return object;
};

const makeValue = (depth) => {
    const kind = below(depth > 0 ? 9 : 6);
    if (kind === 0) return null;
    if (kind === 1) return chance(50);
    if (kind < 4) return pick(numbers);
    if (kind < 6) return pick(strings);
    if (kind < 7) return Array.from({ length: below(4) }, () => makeValue(depth - 1));
    return makeObject(depth, makeValue);
};

// The same value spelled differently: 1 as 1.0 or 10e-1, letters as \u escapes. In draft 4 a number
// with a fraction is not an integer, so numbers are not changed there.
const spellString = (text) =>
    `"${[...JSON.stringify(text).slice(1, -1)].map((c) => (/[a-z]/.test(c) && chance(3) ? `\\u00${c.charCodeAt(0).toString(16)}` : c)).join("")}"`;
const spellNumber = (number, draft) => {
    if (draft === "4" || !Number.isSafeInteger(number) || number === 0 || !chance(15)) return JSON.stringify(number);
    return chance(50) ? `${number}.0` : `${number}0e-1`;
};
const spell = (value, draft) => {
    if (typeof value === "number") return spellNumber(value, draft);
    if (typeof value === "string") return /\\|\$/.test(value) ? JSON.stringify(value) : spellString(value);
    if (Array.isArray(value)) return `[${value.map((item) => spell(item, draft)).join(",")}]`;
    if (value === null || typeof value !== "object") return JSON.stringify(value);
    const members = Object.entries(value).map(([name, item]) => `${spell(name, draft)}:${spell(item, draft)}`);
    return `{${members.join(",")}}`;
};

// ---- schemas ----

const count = () => below(4);
const many = (context, depth, least = 1) =>
    Array.from({ length: least + below(3) }, () => makeSchema(context, depth - 1));
const byName = (context, depth, keys) =>
    Object.fromEntries(some(keys, 1 + below(3)).map((key) => [key, makeSchema(context, depth - 1)]));
const lists = () => Object.fromEntries(some(names, 1 + below(2)).map((key) => [key, some(names, 1 + below(2))]));

const keywords = {
    type: () => (chance(70) ? pick(types) : some(types, 1 + below(3))),
    enum: () => [...new Set(Array.from({ length: 1 + below(3) }, () => JSON.stringify(makeValue(1))))].map((v) => JSON.parse(v)),
    const: () => makeValue(2),
    multipleOf: () => pick([1, 2, 3, 0.5, 0.25, 10]),
    maximum: () => pick(numbers),
    minimum: () => pick(numbers),
    exclusiveMaximum: () => pick(numbers),
    exclusiveMinimum: () => pick(numbers),
    maxLength: count,
    minLength: count,
    pattern: () => pick(patterns),
    maxItems: count,
    minItems: count,
    uniqueItems: () => chance(80),
    items: (c, d) => makeSchema(c, d - 1),
    contains: (c, d) => makeSchema(c, d - 1),
    maxProperties: count,
    minProperties: count,
    required: () => some(names, 1 + below(2)),
    properties: (c, d) => byName(c, d, names),
    patternProperties: (c, d) => byName(c, d, patterns),
    additionalProperties: (c, d) => makeSchema(c, d - 1),
    propertyNames: (c, d) => makeSchema(c, d - 1),
    allOf: many,
    anyOf: many,
    oneOf: many,
    not: (c, d) => makeSchema(c, d - 1),
    dependencies: (c, d) => (chance(50) ? lists() : byName(c, d, names)),
    dependentRequired: lists,
    dependentSchemas: (c, d) => byName(c, d, names),
    prefixItems: many,
    unevaluatedItems: (c, d) => makeSchema(c, d - 1),
    unevaluatedProperties: (c, d) => (chance(60) ? false : makeSchema(c, d - 1)),
};

const inAll = ["type", "enum", "multipleOf", "maximum", "minimum", "maxLength", "minLength", "pattern",
    "maxItems", "minItems", "uniqueItems", "items", "maxProperties", "minProperties", "required",
    "properties", "patternProperties", "additionalProperties", "allOf", "anyOf", "oneOf", "not"];
const since6 = [...inAll, "const", "exclusiveMaximum", "exclusiveMinimum", "contains", "propertyNames"];
const since7 = [...since6, "if"];
const since2019 = [...since7, "dependentRequired", "dependentSchemas", "unevaluatedItems", "unevaluatedProperties"];
const known = {
    4: [...inAll, "dependencies"],
    6: [...since6, "dependencies"],
    7: [...since7, "dependencies"],
    "2019-09": since2019,
    "2020-12": [...since2019, "prefixItems"],
};

const addKeyword = (schema, keyword, context, depth) => {
    const { draft } = context;
    if (keyword === "if") {
        schema.if = makeSchema(context, depth - 1);
        if (chance(80)) schema.then = makeSchema(context, depth - 1);
        if (chance(60)) schema.else = makeSchema(context, depth - 1);
    } else if (keyword === "items" && draft !== "2020-12" && chance(40)) {
        schema.items = many(context, depth);
        if (chance(60)) schema.additionalItems = makeSchema(context, depth - 1);
    } else if (keyword === "additionalProperties" && draft === "4" && chance(50)) {
        schema.additionalProperties = chance(30);
    } else {
        schema[keyword] = keywords[keyword](context, depth);
    }
    if (keyword === "contains" && (draft === "2019-09" || draft === "2020-12")) {
        if (chance(40)) schema.minContains = below(3);
        if (chance(40)) schema.maxContains = below(3);
    }
    if (draft === "4" && (keyword === "maximum" || keyword === "minimum") && chance(40)) {
        schema[keyword === "maximum" ? "exclusiveMaximum" : "exclusiveMinimum"] = chance(70);
    }
};

const isOld = (draft) => draft.length === 1;
const groupOf = (draft) => (isOld(draft) ? "definitions" : "$defs");

// A definition may be known by its place, by an anchor or by an identifier of its own.
const referenceTo = (context) => {
    const { draft, definitions, handles } = context;
    const name = pick(definitions);
    return { $ref: handles[name] ?? `#/${groupOf(draft)}/${name}` };
};

const makeKeywords = (context, depth) => {
    const schema = {};
    const size = depth > 0 ? 1 + below(3) : below(2);
    for (const keyword of some(known[context.draft], size)) addKeyword(schema, keyword, context, depth);
    return schema;
};

const makeSchema = (context, depth) => {
    const { draft, definitions } = context;
    if (draft !== "4" && chance(depth > 0 ? 8 : 40)) return chance(60);
    if (!definitions.length || !chance(depth > 0 ? 15 : 40)) return makeKeywords(context, depth);
    const reference = referenceTo(context);
    // keywords beside $ref count from 2019-09 on
    return isOld(draft) || chance(60) ? reference : { ...reference, ...makeKeywords(context, depth) };
};

const makeDefinition = (context, name) => {
    const { draft, handles } = context;
    const schema = makeKeywords(context, 2);
    if (!handles[name]) return schema;
    if (handles[name].startsWith("#")) return { $anchor: handles[name].slice(1), ...schema };
    // an identifier begins a resource, where #/$defs/… would mean something else
    return { $id: handles[name], ...JSON.parse(JSON.stringify(schema).replaceAll(`"#`, `"http://h/root#`)) };
};

// The context of a schema: its draft, its definitions, and what some of them are called.
const makeRoot = (draft) => {
    const definitions = some(["x", "y", "z"], below(4));
    const handles = {};
    for (const name of definitions) {
        if (!isOld(draft) && chance(25)) handles[name] = chance(50) ? `#${name}` : `http://h/${name}`;
    }
    const context = { draft, definitions, handles };
    const root = makeKeywords(context, 3);
    if (chance(3)) root[pick(known[draft])] = pick([-1, "12", [[]], { "": 1 }, null]); // most likely wrong
    if (!definitions.length) return root;
    if (!isOld(draft)) root.$id = "http://h/root";
    root[groupOf(draft)] = Object.fromEntries(definitions.map((name) => [name, makeDefinition(context, name)]));
    return root;
};

// ---- where ajv is known to differ: docs/schema.md says why ----

const holds = (schema, keyword) => JSON.stringify(schema).includes(`"${keyword}":`);
const rules = [
    {
        name: "a circle of references",
        explains: ({ schema, ajv, jsv }) => holds(schema, "$ref") && (ajv === "limit" || jsv === "limit"),
    },
    {
        name: "draft 4: integers with an exponent",
        explains: ({ draft, schema, instance }) =>
            draft === "4" && holds(schema, "type") && /e\+/.test(JSON.stringify([schema, instance])),
    },
    {
        name: "multiples from 1e21 on",
        explains: ({ schema, instance }) => holds(schema, "multipleOf") && /e\+/.test(JSON.stringify(instance)),
    },
];

// More than this part of all pairs is too much to explain away.
const explainedMax = 0.005;

// ---- the comparison ----

const options = { strict: false, validateFormats: false, logger: false };

const ask = (ajv, schema, instances) => {
    let validate;
    try {
        validate = ajv.compile(schema);
    } catch {
        return instances.map(() => "schema");
    }
    return instances.map((instance) => {
        try {
            return validate(instance) ? "1" : "0";
        } catch {
            return "limit"; // a circle of references ends ajv's stack
        }
    });
};

const drafts = Object.keys(known);
const ajv = Object.fromEntries(drafts.map((draft) => [draft, new libraries[draft](options)]));
const pairs = [];
while (pairs.length < Number(pairsWanted)) {
    const draft = pick(drafts);
    const schema = makeRoot(draft);
    const instances = Array.from({ length: 5 }, () => makeValue(3));
    const answers = ask(ajv[draft], schema, instances);
    ajv[draft].removeSchema(); // it remembers every $id
    instances.forEach((instance, i) => pairs.push({ draft, schema, instance, ajv: answers[i] }));
}
const input = pairs
    .map(({ draft, schema, instance }) => `{"draft":"${draft}","schema":${spell(schema, draft)},"instance":${spell(instance, draft)}}`)
    .join("\n");
const run = spawnSync(driver, { input, encoding: "utf8", maxBuffer: 1 << 28 });
if (run.error) throw run.error;
const ours = run.stdout.trim().split("\n");

const tally = { agree: 0, valid: 0, invalid: 0, refused: 0 };
const explained = new Map();
let differences = 0;
pairs.forEach((pair, i) => {
    if (ours[i] === pair.ajv) {
        tally.agree++;
        tally[{ 1: "valid", 0: "invalid" }[pair.ajv] ?? "refused"]++;
        return;
    }
    pair.jsv = ours[i];
    const rule = rules.find(({ explains }) => explains(pair));
    if (rule) {
        explained.set(rule.name, (explained.get(rule.name) ?? 0) + 1);
        return;
    }
    if (++differences <= 20) {
        const { draft, schema, instance } = pair;
        console.log(`draft ${draft}: ajv ${pair.ajv}, jsv ${ours[i]}\n  ${JSON.stringify(schema)}\n  ${JSON.stringify(instance)}`);
    }
});
console.log(`${pairs.length} pairs: ${JSON.stringify(tally)}`);
for (const [name, times] of explained) console.log(`  ${times} explained: ${name}`);
console.log(`${differences} differences`);

const explainedCount = pairs.length - tally.agree - differences;
const expectations = {
    "the driver answered every pair": run.status === 0 && ours.length === pairs.length,
    "no difference is without a rule": differences === 0,
    "rules are for exceptions": explainedCount <= pairs.length * explainedMax,
    "both verdicts are common": Math.min(tally.valid, tally.invalid) > pairs.length / 10,
    "some schemas are wrong": tally.refused > 0,
};
for (const [name, met] of Object.entries(expectations)) {
    if (!met) console.log(`not so: ${name}`);
}
process.exit(Object.values(expectations).every(Boolean) ? 0 : 1);
