// The rules of the specification's own examples, and what a reader must and must not get through them.
// https://specs.ipfs.tech/compact-denylist-format/
import { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import { readCidText } from '../content/parse-cid.ts'
import { createDenylist } from './denylist.ts'
import { createRuleSet, type DenySubject } from './match-rules.ts'
import { parseDenylist } from './parse-denylist.ts'

const list = `version: 1
name: Example
author: abuse@example.org
hints:
  hint: value
---
# by multihash
/ipfs/bafybeihvvulpp4evxj7x7armbqcyg6uezzuig6jp3lktpbovlqfkuqeuoq
/ipfs/QmdWFA9FL52hx3j9EJZPQP1ZUH8Ygi5tLCX2cRDs6knSf8/*
/ipfs/Qmah2YDTfrox4watLCr3YgKyBwvjq8FJZEFdWY6WtJ3Xt2/test*
/ipfs/QmTuvSQbEDR3sarFAN9kAeXBpiBCyYYNxdxciazBba11eC/test/*

/ipfs/QmUboz9UsQBDeS6Tug1U8jgoFkgYxyYood9NDyVURAY9pK/blocked*
!/ipfs/QmUboz9UsQBDeS6Tug1U8jgoFkgYxyYood9NDyVURAY9pK/blockednot
!/ipfs/QmUboz9UsQBDeS6Tug1U8jgoFkgYxyYood9NDyVURAY9pK/blocked/not
!/ipfs/QmUboz9UsQBDeS6Tug1U8jgoFkgYxyYood9NDyVURAY9pK/blocked/exceptions*
/ipns/domain.example
/ipns/domain2.example/path
/ipns/k51qzi5uqu5dhmzyv3zac033i7rl9hkgczxyl81lwoukda2htteop7d3x0y1mf
//QmX9dhRcQcKUw3Ws8485T5a9dtjrSCQaUAHnG4iK9i4ceM
//gW813G35CnLsy7gRYYHuf63hrz71U1xoLFDVeV7actx6oX
//d9d295bde21f422d471a90f2a37ec53049fdf3e5fa3ee2e8f20e10003da429e7
//c555c4de78827ba42527dd3dc5398db38d6c0a8c345a88e0158b2d100f317e50
//3f8b9febd851873b3774b937cce126910699ceac56e72e64b866f8e258d09572
//QmX6zeaAb8mC285YbXe4ac7LmX3jvrHBiFrw8kNnCM1bk4
//QmcwfDuZYijxztHVR7w71WtdDaETsrGUU3ARWbNiYD3Hhp
/ipfs/bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku
/ipfs/QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn
`
const parsed = parseDenylist(list)
const rules = createRuleSet(parsed.rules)

function subjectOf(path: string): DenySubject {
  const [, namespace = '', root = '', ...segments] = path.replace(/\/$/, '').split('/')
  if (namespace === 'ipfs') return { kind: 'content', cid: readCidText(root) ?? CID.parse(root), segments }
  return root.includes('.') ? { kind: 'domain', host: root, segments } : { kind: 'name', name: root, segments }
}

test('every line of the example is a rule', () => {
  expect(parsed).toMatchObject({ name: 'Example', failures: [] })
  expect(parsed.rules).toHaveLength(20)
})

test.each([
  // One multihash, in any codec and version.
  '/ipfs/bafybeihvvulpp4evxj7x7armbqcyg6uezzuig6jp3lktpbovlqfkuqeuoq',
  '/ipfs/bafkreihvvulpp4evxj7x7armbqcyg6uezzuig6jp3lktpbovlqfkuqeuoq',
  '/ipfs/QmesfgDQ3q6prBy2Kg2gKbW4MAGuWiRP2DVuGA5MZSERLo',
  // With everything below it.
  '/ipfs/QmdWFA9FL52hx3j9EJZPQP1ZUH8Ygi5tLCX2cRDs6knSf8',
  '/ipfs/QmdWFA9FL52hx3j9EJZPQP1ZUH8Ygi5tLCX2cRDs6knSf8/a/b',
  // By a path prefix; a slash before the star changes nothing.
  '/ipfs/Qmah2YDTfrox4watLCr3YgKyBwvjq8FJZEFdWY6WtJ3Xt2/test',
  '/ipfs/Qmah2YDTfrox4watLCr3YgKyBwvjq8FJZEFdWY6WtJ3Xt2/test2',
  '/ipfs/Qmah2YDTfrox4watLCr3YgKyBwvjq8FJZEFdWY6WtJ3Xt2/test/one',
  '/ipfs/QmTuvSQbEDR3sarFAN9kAeXBpiBCyYYNxdxciazBba11eC/test2',
  '/ipfs/QmTuvSQbEDR3sarFAN9kAeXBpiBCyYYNxdxciazBba11eC/test/one',
  '/ipfs/QmUboz9UsQBDeS6Tug1U8jgoFkgYxyYood9NDyVURAY9pK/blocked',
  '/ipfs/QmUboz9UsQBDeS6Tug1U8jgoFkgYxyYood9NDyVURAY9pK/blocked2',
  // Names, a key in any form.
  '/ipns/domain.example',
  '/ipns/DOMAIN.example',
  '/ipns/domain.example.',
  '/ipns/domain2.example/path',
  '/ipns/k51qzi5uqu5dhmzyv3zac033i7rl9hkgczxyl81lwoukda2htteop7d3x0y1mf',
  '/ipns/bafzaajaiaejcaotjfs57kieazxny5japcmy5p2pgv2cic77tu6ogghttvurnrufx',
  '/ipns/12D3KooWDkNqEJNmreF3NYYFK1ws7Ra2fuW6cHBTu567SPV3LdYA',
  // Double hashes: SHA-256 and BLAKE3 of the multihash, and the older form of the CID.
  '/ipfs/bafybeidjwik6im54nrpfg7osdvmx7zojl5oaxqel5cmsz46iuelwf5acja',
  '/ipfs/QmVTF1yEejXd9iMgoRTFDxBv7HAz9kuZcQNBzHrceuK9HR',
  '/ipfs/bafyb4ieqht3b2rssdmc7sjv2cy2gfdilxkfh7623nvndziyqnawkmo266a/path',
  '/ipfs/f01701e20903cf61d46521b05f926ba1634628d0bba8a7ffb5b6d5a3ca310682ca63b5ef0/path',
  '/ipfs/bafybeiefwqslmf6zyyrxodaxx4vwqircuxpza5ri45ws3y5a62ypxti42e',
  '/ipfs/bafybeiefwqslmf6zyyrxodaxx4vwqircuxpza5ri45ws3y5a62ypxti42e/path',
  '/ipns/bad-domain-name.tld',
  '/ipns/my.domain.com',
  '/ipns/my.domain2.com/path',
])('%s is denied', (path) => expect(rules.find(subjectOf(path))).toBe(410))

test.each([
  '/ipfs/bafybeihvvulpp4evxj7x7armbqcyg6uezzuig6jp3lktpbovlqfkuqeuoq/sub2',
  '/ipfs/Qmah2YDTfrox4watLCr3YgKyBwvjq8FJZEFdWY6WtJ3Xt2',
  '/ipfs/Qmah2YDTfrox4watLCr3YgKyBwvjq8FJZEFdWY6WtJ3Xt2/tes',
  '/ipfs/Qmah2YDTfrox4watLCr3YgKyBwvjq8FJZEFdWY6WtJ3Xt2/one/test',
  '/ipfs/QmTuvSQbEDR3sarFAN9kAeXBpiBCyYYNxdxciazBba11eC',
  '/ipfs/QmUboz9UsQBDeS6Tug1U8jgoFkgYxyYood9NDyVURAY9pK/blockednot',
  '/ipfs/QmUboz9UsQBDeS6Tug1U8jgoFkgYxyYood9NDyVURAY9pK/blocked/not',
  '/ipfs/QmUboz9UsQBDeS6Tug1U8jgoFkgYxyYood9NDyVURAY9pK/blocked/exceptions2',
  '/ipfs/QmUboz9UsQBDeS6Tug1U8jgoFkgYxyYood9NDyVURAY9pK/blocked/exceptions/one',
  '/ipns/domainaefa.example',
  '/ipns/domain.example/path',
  '/ipns/domain2.example',
  '/ipns/domain2.example/path2',
  '/ipns/12D3KooWDkNqEJNmreF3NYYFK1ws7Ra2fuW6cHBTu567SPV3LdYA/path',
  '/ipfs/bafyb4ieqht3b2rssdmc7sjv2cy2gfdilxkfh7623nvndziyqnawkmo266a',
  '/ipfs/bafyb4ieqht3b2rssdmc7sjv2cy2gfdilxkfh7623nvndziyqnawkmo266a/path2',
  '/ipfs/bafybeiefwqslmf6zyyrxodaxx4vwqircuxpza5ri45ws3y5a62ypxti42e/path2',
  '/ipns/my.domain2.com',
  // Every site has them.
  '/ipfs/bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku',
  '/ipfs/QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn',
])('%s is not denied', (path) => expect(rules.find(subjectOf(path))).toBeUndefined())

const cid = 'QmecDgNqCRirkc3Cjz9eoRBNwXGckJ9WvTdmY16HP88768'
test('reads a long row of slashes', () => {
  // If each slash were the start of the end, this would take hours.
  expect(parseDenylist(`/ipfs/${cid}/a${'/'.repeat(1_000_000)}x`).rules).toHaveLength(1)
})

const find = (text: string, path = `/ipfs/${cid}`) => createRuleSet(parseDenylist(text).rules).find(subjectOf(path))

test('a path in the operator’s rules covers everything below it, and no other name with the same prefix', () => {
  const { rules: own } = parseDenylist(`/ipfs/${cid}/sub/*\n/ipns/site.example/a%20b/*\n/ipns/whole.example/*`, 'below')
  const denied = (path: string) => createRuleSet(own).find(subjectOf(path)) === 410
  for (const path of [`/ipfs/${cid}/sub`, `/ipfs/${cid}/sub/way`, '/ipns/site.example/a b/c', '/ipns/whole.example/x'])
    expect(denied(path), path).toBe(true)
  for (const path of [`/ipfs/${cid}`, `/ipfs/${cid}/subway`, `/ipfs/${cid}/sub.txt`, '/ipns/site.example/a bc'])
    expect(denied(path), path).toBe(false)
})

test('the last matching rule decides, also over a double hash and another list', () => {
  expect(find(`/ipfs/${cid}\n!/ipfs/${cid}`)).toBeUndefined()
  expect(find(`!/ipfs/${cid}\n/ipfs/${cid}`)).toBe(410)
  const hashed = `//${'QmX9dhRcQcKUw3Ws8485T5a9dtjrSCQaUAHnG4iK9i4ceM'}`
  const own = 'QmVTF1yEejXd9iMgoRTFDxBv7HAz9kuZcQNBzHrceuK9HR'
  expect(find(`${hashed}\n!/ipfs/${own}`, `/ipfs/${own}`)).toBeUndefined()
  expect(find(`!/ipfs/${own}\n${hashed}`, `/ipfs/${own}`)).toBe(410)
  const lists = [parseDenylist(`/ipfs/${cid}/*`), parseDenylist(`!/ipfs/${cid}/*`)]
  expect(createRuleSet(lists.flatMap((one) => one.rules)).find(subjectOf(`/ipfs/${cid}/a`))).toBeUndefined()
})

test('the status is the hint of the rule, then of the list, then 410', () => {
  const legal = 'hints:\n  gateway_status: 451\n---\n'
  expect(find(`/ipfs/${cid}`)).toBe(410)
  expect(find(`/ipfs/${cid} why:copyright gateway_status:451`)).toBe(451)
  expect(find(`${legal}/ipfs/${cid}`)).toBe(451)
  expect(find(`${legal}/ipfs/${cid} gateway_status:410`)).toBe(410)
  const denylist = createDenylist('abuse@example.org')
  denylist.replace(createRuleSet(parseDenylist(`/ipfs/${cid} gateway_status:451`).rules))
  expect(() => denylist.requireContent(CID.parse(cid))).toThrow(
    expect.objectContaining({ code: 'CONTENT_DENIED_BY_LAW', hint: expect.stringContaining('abuse@example.org') }),
  )
})

test('a list percent-encodes its paths', () => {
  const text = `/ipfs/${cid}/a%20b/%C3%A4*`
  expect(find(text, `/ipfs/${cid}/a b/ä.html`)).toBe(410)
  expect(find(text, `/ipfs/${cid}/a%20b/ä.html`)).toBeUndefined()
})

test('reports an invalid line by its number, and applies the others', () => {
  const { rules: some, failures } = parseDenylist(
    `name: x\n---\n/ipfs/nonsense\n\n/ipfs/${cid}\n//zz\n/other/x\n/ipfs/${cid}/%zz\r\n`,
  )
  expect(some).toHaveLength(1)
  expect(failures.map(({ line }) => line)).toEqual([3, 6, 7, 8])
})

test('an invalid YAML header or another version rejects the list; a missing and an empty one do not', () => {
  expect(() => parseDenylist('a: [\n---\n')).toThrow(/not YAML/)
  expect(() => parseDenylist(`version: 2\n---\n/ipfs/${cid}`)).toThrow(/version 2/)
  for (const head of ['', '---\n', '# nothing\n---\n', 'custom: 1\n---\n'])
    expect(find(`${head}/ipfs/${cid}`)).toBe(410)
})

test('treats a header beyond 1 MiB as lines: they are errors, and the rules after it apply', () => {
  const text = `name: x\n${'# padding padding padding\n'.repeat(45_000)}---\n/ipfs/${cid}`
  const { rules: some, failures } = parseDenylist(text)
  expect([some.length, failures.map(({ line }) => line)]).toEqual([1, [1, 45_002]])
})
