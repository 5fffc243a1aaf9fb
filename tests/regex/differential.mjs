// Compares libjsv's regular expressions with Node's on random patterns.
//
//   node differential.mjs DRIVER [PATTERNS] [SEED]
//
// Patterns are generated from the grammar, some with an error or with legacy
// syntax; subjects from parts of patterns. With flag u, Node must agree on
// validity and matches. Without it, Node accepts some more patterns; if libjsv
// accepts them too, and nothing in them depends on the flag, the matches must
// agree as well. Subjects that this version of Node is known to match wrongly
// are skipped and counted.
import { spawnSync } from 'node:child_process';

const [driver, count = '20000', seed = '1'] = process.argv.slice(2);

// Mulberry32: the same patterns on every machine.
let state = Number(seed) >>> 0;
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = state;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const below = (n) => Math.floor(random() * n);
const pick = (list) => list[below(list.length)];
const chance = (percent) => random() * 100 < percent;

const letters = ['a', 'b', 'c', 'x', '0', '1', '_', '-', ' ', 'é', 'Ω', '😀', '\u2028', '\n', '\ufeff'];
const literals = [...'abcx01_- ', 'a', 'b', 'a', 'b', 'é', 'Ω', '😀', ',', '/', ':', '"', '@', '\n'];
const escapes = [
  '\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\n', '\\t', '\\r', '\\f', '\\v', '\\0', '\\x61', '\\u0061',
  '\\u{61}', '\\u{1F600}', '\\uD83D\\uDE00', '\\uD83D', '\\uDE00', '\\cJ', '\\ca', '\\.', '\\*', '\\/', '\\\\',
  '\\$', '\\^', '\\(', '\\[', '\\]', '\\{', '\\}', '\\|', '\\+', '\\?',
];
// Stable since Unicode 14, which is what PCRE2 10.42 knows, for all letters above.
const properties = [
  '\\p{L}', '\\P{L}', '\\p{Lu}', '\\p{Letter}', '\\p{gc=Ll}', '\\p{General_Category=Nd}', '\\p{digit}', '\\p{punct}',
  '\\p{Script=Greek}', '\\p{sc=Latn}', '\\p{scx=Grek}', '\\P{Script_Extensions=Latin}', '\\p{ASCII}', '\\P{ASCII}',
  '\\p{Any}', '\\P{Any}', '\\p{Assigned}', '\\p{Emoji}', '\\p{White_Space}', '\\p{Alphabetic}', '\\p{ID_Start}',
  '\\p{Lowercase}', '\\p{Uppercase}', '\\p{Emoji_Presentation}', '\\p{Cased_Letter}', '\\p{Cc}',
];
const wrong = [
  '\\a', '\\Z', '\\A', '\\z', '\\e', '\\h', '\\Q', '\\x6', '\\u{110000}', '\\u006', '\\u{}', '\\c', '\\c1', '\\k', '\\k<z>',
  '\\p', '\\p{}', '\\p{Foo}', '\\p{Script=Foo}', '\\p{lu}', '\\pL', '(?i)', '(?P<n>a)', '(?#a)', '(?>a)', '(?|a)', '(?<1>a)',
  '(?<n', '(?<n>', '(', ')', '[', '*', '+', '?', '{1}', '{1,2}', 'a{2,1}', '[b-a]', 'a**', 'a+++', '^*', '\\b+', '(?<=a)*',
  '\\', '(?', '(?<', '(?<>a)',
];
const legacy = [
  '\\-', '\\_', '\\@', '\\"', "\\'", '\\ ', '\\,', '\\:', '\\é', '{', '}', ']', 'a{', 'a{1', 'a{,2}', 'a{1,b}', '\\1', '\\2', '\\8',
  '\\01', '\\08', '\\101', '\\400', '[\\d-x]', '[a-\\d]', '[\\w-]', '[\\-a]', '[\\_]', '[\\1]', '[\\8]', '[\\c1]', '[\\c_]', '(?=a)*',
  '(?!a)+', '(?=a){2}', '[\\@]', '[\\101]',
];
const rare = ['(?<=a)', '(?<!a)', '(?<=ab|c)', '(?<![^b])', '(?<=(a))', '\\b', '\\B', '^', '$', '(?=a)', '(?!b)', '(?=.*b)', '(?!$)'];

let groups = 0;
let names = [];
let dense = false; // groups, references and repetition of little else than a and b

function classItem() {
  const roll = below(20);
  if (roll < 8) return pick(literals);
  if (roll < 12) return pick(['a-c', '0-9', 'a-z', 'A-Z', '\\x20-\\x7e', 'à-ü', 'Α-Ω', '\\u{1F600}-\\u{1F64F}', '\\u0000-\\u{10ffff}', '\\uD800-\\uDFFF', '\\uD7FF-\\uE000']);
  if (roll < 16) return pick(escapes);
  if (roll < 17) return pick(properties);
  if (roll < 18) return pick(['.', '$', '(', ')', '*', '[', '|', '{', '}', '?', '+', '^']);
  return pick(['-', '\\-', '\\b', '\\d', '\\s', '\\w']);
}

function charClass() {
  let text = chance(30) ? '[^' : '[';
  for (let n = below(4); n > 0; n--) text += classItem();
  return text + ']';
}

function group(depth) {
  const roll = below(12);
  if (roll < 4) { groups++; return `(${disjunction(depth - 1)})`; }
  if (roll < 8) return `(?:${disjunction(depth - 1)})`;
  if (roll < 9) {
    const name = pick(['n', 'm', '$x', 'été', '_1']) + (chance(90) ? names.length : '');
    names.push(name); groups++;
    return `(?<${name}>${disjunction(depth - 1)})`;
  }
  return `(?${pick(['=', '!', '=', '!', '<=', '<!'])}${disjunction(depth - 1)})`;
}

function denseAtom(depth) {
  const roll = below(20);
  if (roll < 7 || depth === 0) return pick(['a', 'b', 'a', 'b', '[ab]', '.']);
  if (roll < 12 && groups > 0) return `\\${1 + below(groups + (chance(20) ? 1 : 0))}`;
  if (roll < 13) return pick(rare);
  return group(depth);
}

function atom(depth) {
  if (dense) return denseAtom(depth);
  const roll = below(100);
  if (roll < 40) return pick(literals);
  if (roll < 48) return '.';
  if (roll < 58) return charClass();
  if (roll < 66) return pick(escapes);
  if (roll < 70) return pick(properties);
  if (roll < 72) return pick(rare);
  if (roll < 75 && groups > 0) return names.length && chance(40) ? `\\k<${pick(names)}>` : `\\${1 + below(groups)}`;
  if (depth > 0) return group(depth);
  return pick(literals);
}

function quantifier() {
  if (!chance(30)) return '';
  return pick(['*', '+', '?', '*', '+', '?', '{2}', '{0}', '{1}', '{1,}', '{0,2}', '{1,3}', '{2,}', '{0,1}', '{3,3}']) + (chance(25) ? '?' : '');
}

function alternative(depth) {
  let text = chance(20) ? '^' : '';
  for (let n = below(4); n > 0; n--) text += atom(depth) + quantifier();
  if (chance(2)) text += pick(legacy);
  if (chance(1)) text += pick(wrong);
  if (chance(20)) text += '$';
  return text;
}

function disjunction(depth) {
  let text = alternative(depth);
  while (chance(25)) text += '|' + alternative(depth);
  return text;
}

function pattern() {
  groups = 0;
  names = [];
  dense = chance(40);
  return disjunction(3);
}

function subject(from) {
  const alphabet = dense || chance(50) ? ['a', 'b'] : letters;
  let text = '';
  for (let n = below(7); n > 0; n--) {
    text += !dense && from && chance(20) ? pick([...from]) : pick(alphabet);
  }
  return text;
}

// V8 also finds matches between the halves of a surrogate pair, which is not a position.
function matches(regex, text) {
  if (!regex.unicode) return regex.test(text);
  let index = 0;
  for (const character of [...text, '']) {
    regex.lastIndex = index;
    if (regex.test(text)) return true;
    index += character.length;
  }
  return false;
}

// V8 10.2 (Node 18) does not let a negated class take a surrogate pair when a literal follows.
const matchesPairs = /^[^a]b/u.test('😀b');
const hasPair = (text) => /[^\0-\uffff]/u.test(text);

function compile(source, flags) {
  try {
    return new RegExp(source, flags);
  } catch {
    return null;
  }
}

const hex = (text) => Buffer.from(text, 'utf8').toString('hex') || '-';
// Effects of the u flag other than on validity.
const flagMatters = /\\[pPkucC]|[^\0-\uffff]|[\ud800-\udfff]|\\[DWS]|\[\^|\./u;

const questions = [];
for (let i = 0; i < Number(count); i++) {
  const source = pattern();
  const subjects = Array.from({ length: 12 }, () => subject(source));
  questions.push({ source, subjects });
}
const run = spawnSync(driver, {
  input: questions.map((q) => [q.source, ...q.subjects].map(hex).join(' ') + '\n').join(''),
  encoding: 'latin1',
  maxBuffer: 1 << 30,
});
if (run.status !== 0) {
  console.error(run.stderr || run.error || `the driver ended with ${run.signal}`);
  process.exit(1);
}
const answers = run.stdout.trimEnd().split('\n');
const tally = { patterns: questions.length, valid: 0, legacy: 0, refused: 0, unsupported: 0, large: 0, compared: 0, 'given up': 0, 'left out': 0 };
let failures = 0;

function complain(source, what) {
  if (failures++ < 20) console.error(`${JSON.stringify(source)}: ${what}`);
}

questions.forEach(({ source, subjects }, i) => {
  const [validity, outcome, ...verdicts] = answers[i].split(' ');
  const strict = compile(source, 'uy');
  const loose = strict ?? compile(source, '');
  if ((validity === 'valid') !== (strict !== null)) complain(source, `we say ${validity}`);
  if (outcome === 'refused' && strict) complain(source, 'we refuse it');
  if (outcome === 'ok' && !loose && !flagMatters.test(source)) complain(source, 'we take it');
  tally.valid += strict ? 1 : 0;
  if (outcome in tally) tally[outcome]++;
  if (outcome !== 'ok' || !loose || (!strict && flagMatters.test(source))) return;
  tally.legacy += strict ? 0 : 1;
  subjects.forEach((text, k) => {
    if (!strict && hasPair(text)) return;
    if (!matchesPairs && hasPair(text)) {
      tally['left out']++;
      return;
    }
    const expected = matches(loose, text) ? '1' : '0';
    for (const verdict of verdicts) {
      tally.compared++;
      if (verdict[k] === 'L') tally['given up']++;
      else if (verdict[k] !== expected) complain(source, `on ${JSON.stringify(text)} we say ${verdicts.map((v) => v[k]).join(', ')}`);
    }
  });
});
console.log(Object.entries(tally).map(([name, value]) => `${name} ${value}`).join(', '));
if (failures > 0) {
  console.error(`${failures} disagreements`);
  process.exit(1);
}
