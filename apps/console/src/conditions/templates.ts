import { abiTypes, comparators } from '@cairn/protocol'
import type { messages } from '../messages/messages.ts'
import type { DraftChainType, FieldPath, RawCondition } from './condition-parts.ts'
import { readField } from './condition-parts.ts'

/** Kind of a field in a sentence. */
export type FieldKind = 'chain' | 'comparator' | 'amount' | 'number' | 'time' | 'address' | 'text'

/** A field of a sentence: its path in the condition, and its format. */
export type SentenceField = {
  path: FieldPath
  kind: FieldKind
  /** For amounts: digits after the decimal point. `token`: read from the contract. */
  decimals?: number | 'token'
}

export type TemplateIcon = 'Blocks' | 'Clock' | 'Coins' | 'Gem' | 'Image' | 'Images' | 'Landmark' | 'SquareFunction'

/** A common kind of condition, as a sentence with fields. */
export type Template = {
  chainType: DraftChainType
  icon: TemplateIcon
  /** Fields by their names in the sentence. */
  fields: Readonly<Record<string, SentenceField>>
  /** Initial value of a new condition. */
  create: (chain: string) => RawCondition
  /** Returns whether a condition is of this kind. */
  fits: (condition: RawCondition) => boolean
}

const user = ':userAddress'
const chain: SentenceField = { path: ['chain'], kind: 'chain' }
const comparator: SentenceField = { path: ['returnValueTest', 'comparator'], kind: 'comparator' }
const value = (kind: FieldKind, decimals?: number | 'token'): SentenceField => ({
  path: ['returnValueTest', 'value'],
  kind,
  ...(decimals === undefined ? {} : { decimals }),
})
const contract: SentenceField = { path: ['contractAddress'], kind: 'address' }
const parameter = (index: number): SentenceField => ({ path: ['parameters', index], kind: 'text' })
const minimum = (value: string) => ({ comparator: '>=', value })
const is = (condition: RawCondition, type: string, method: string) =>
  String(condition['standardContractType'] ?? '').toLowerCase() === type.toLowerCase() && condition['method'] === method
const hasUser = (condition: RawCondition) => readField(condition, ['parameters', 0]) === user
/** Whether a condition is about the person who requests access, and not about a fixed address. */
const isOfUser = (condition: RawCondition) => {
  const parameters = readField(condition, ['parameters'])
  return parameters === undefined || (Array.isArray(parameters) && (parameters.length === 0 || hasUser(condition)))
}
const native = (method: string) => (condition: RawCondition) => is(condition, '', method)

/** Kinds of conditions by name; the first match supplies the sentence. Texts: `messages.conditions.kinds`. */
export const templates = {
  erc20: {
    chainType: 'EVM',
    icon: 'Coins',
    fields: { comparator, amount: value('amount', 'token'), contract, chain },
    create: (name) => ({
      standardContractType: 'ERC20',
      chain: name,
      contractAddress: '',
      method: 'balanceOf',
      parameters: [user],
      returnValueTest: minimum('1'),
    }),
    fits: (condition) => is(condition, 'ERC20', 'balanceOf') && hasUser(condition),
  },
  erc721: {
    chainType: 'EVM',
    icon: 'Images',
    fields: { comparator, amount: value('number'), contract, chain },
    create: (name) => ({
      standardContractType: 'ERC721',
      chain: name,
      contractAddress: '',
      method: 'balanceOf',
      parameters: [user],
      returnValueTest: minimum('1'),
    }),
    fits: (condition) => is(condition, 'ERC721', 'balanceOf') && hasUser(condition),
  },
  erc721Id: {
    chainType: 'EVM',
    icon: 'Image',
    fields: { tokenId: parameter(0), contract, chain },
    create: (name) => ({
      standardContractType: 'ERC721',
      chain: name,
      contractAddress: '',
      method: 'ownerOf',
      parameters: ['1'],
      returnValueTest: { comparator: '==', value: user },
    }),
    fits: (condition) =>
      is(condition, 'ERC721', 'ownerOf') &&
      readField(condition, ['returnValueTest', 'comparator']) === '==' &&
      readField(condition, ['returnValueTest', 'value']) === user,
  },
  erc1155: {
    chainType: 'EVM',
    icon: 'Gem',
    fields: { comparator, amount: value('number'), tokenId: parameter(1), contract, chain },
    create: (name) => ({
      standardContractType: 'ERC1155',
      chain: name,
      contractAddress: '',
      method: 'balanceOf',
      parameters: [user, '1'],
      returnValueTest: minimum('1'),
    }),
    fits: (condition) => is(condition, 'ERC1155', 'balanceOf') && hasUser(condition),
  },
  balance: {
    chainType: 'EVM',
    icon: 'Landmark',
    fields: { comparator, amount: value('amount', 18), chain },
    create: (name) => ({
      standardContractType: '',
      chain: name,
      method: 'getBalance',
      returnValueTest: minimum('1000000000000000000'),
    }),
    fits: (condition) => is(condition, '', 'getBalance') && isOfUser(condition),
  },
  block: {
    chainType: 'EVM',
    icon: 'Blocks',
    fields: { chain, comparator, amount: value('number') },
    create: (name) => ({
      standardContractType: '',
      chain: name,
      method: 'getBlockNumber',
      returnValueTest: minimum('1'),
    }),
    fits: (condition) => is(condition, '', 'getBlockNumber'),
  },
  custom: {
    chainType: 'EVM',
    icon: 'SquareFunction',
    fields: { method: { path: ['method'], kind: 'text' }, contract, chain, comparator, value: value('text') },
    create: (name) => ({
      standardContractType: 'Custom',
      chain: name,
      contractAddress: '',
      method: 'isMember',
      parameters: [user],
      inputArrayType: ['address'],
      outputType: 'bool',
      returnValueTest: { comparator: '==', value: 'true' },
    }),
    fits: (condition) => String(condition['standardContractType']).toLowerCase() === 'custom',
  },
  solanaBalance: {
    chainType: 'SOLANA',
    icon: 'Landmark',
    fields: { comparator, amount: value('amount', 9), chain },
    create: (name) => ({
      standardContractType: '',
      chain: name,
      method: 'getBalance',
      pdaInterface: { offset: 0, selector: '' },
      returnValueTest: minimum('1000000000'),
    }),
    fits: (condition) => is(condition, '', 'getBalance') && isOfUser(condition),
  },
  solanaToken: {
    chainType: 'SOLANA',
    icon: 'Coins',
    fields: { comparator, amount: value('number'), contract, chain },
    create: (name) => ({
      standardContractType: 'spl-token',
      chain: name,
      contractAddress: '',
      method: 'getTokenAccountsByOwner',
      parameters: [user],
      pdaInterface: { offset: 0, selector: 'account.data.parsed.info.tokenAmount.amount' },
      returnValueTest: minimum('1'),
    }),
    fits: (condition) => is(condition, 'spl-token', 'getTokenAccountsByOwner') && isOfUser(condition),
  },
  solanaHeight: {
    chainType: 'SOLANA',
    icon: 'Blocks',
    fields: { chain, comparator, amount: value('number') },
    create: (name) => ({
      standardContractType: '',
      chain: name,
      method: 'getBlockHeight',
      pdaInterface: { offset: 0, selector: '' },
      returnValueTest: minimum('1'),
    }),
    fits: native('getBlockHeight'),
  },
  solanaTime: {
    chainType: 'SOLANA',
    icon: 'Clock',
    fields: { chain, comparator, time: value('time') },
    create: (name) => ({
      standardContractType: '',
      chain: name,
      method: 'getLastBlockTime',
      pdaInterface: { offset: 0, selector: '' },
      returnValueTest: minimum(inADay()),
    }),
    fits: native('getLastBlockTime'),
  },
  coreumToken: {
    chainType: 'COREUM',
    icon: 'Coins',
    fields: { comparator, amount: value('number'), denom: { path: ['denom'], kind: 'text' }, chain },
    create: (name) => ({
      standardContractType: '',
      chain: name,
      method: 'getFtsByAddress',
      denom: name === 'Coreum_Mainnet' ? 'ucore' : name === 'Coreum_Testnet' ? 'utestcore' : 'udevcore',
      returnValueTest: minimum('1000000'),
    }),
    fits: (condition) => is(condition, '', 'getFtsByAddress') && isOfUser(condition),
  },
  coreumClass: {
    chainType: 'COREUM',
    icon: 'Images',
    fields: { comparator, amount: value('number'), classId: { path: ['classid'], kind: 'text' }, chain },
    create: (name) => ({
      standardContractType: '',
      chain: name,
      method: 'getNftsByAddress',
      classid: '',
      returnValueTest: minimum('1'),
    }),
    fits: (condition) => is(condition, '', 'getNftsByAddress') && isOfUser(condition),
  },
  coreumTime: {
    chainType: 'COREUM',
    icon: 'Clock',
    fields: { chain, comparator, time: value('time') },
    create: (name) => ({
      standardContractType: '',
      chain: name,
      method: 'getLastBlockTime',
      returnValueTest: minimum(inADay()),
    }),
    fits: native('getLastBlockTime'),
  },
} as const satisfies Record<string, Template>

export type TemplateName = keyof typeof templates
export const templateNames = Object.keys(templates).filter((name): name is TemplateName => name in templates)

/** Chain clocks count seconds. */
function inADay(): string {
  return String(Math.floor(Date.now() / 1000) + 86_400)
}

/** Returns the kind of a condition; undefined if no sentence fits. */
export function findTemplate(chainType: DraftChainType, condition: RawCondition): TemplateName | undefined {
  return templateNames.find((name) => templates[name].chainType === chainType && templates[name].fits(condition))
}

/** Creates a condition of a kind. */
export function createCondition(name: TemplateName, id: number, chainName: string): RawCondition {
  return { id, ...templates[name].create(chainName) }
}

/** A field of a condition as it is saved, for those that no sentence has. */
export type AdvancedField = {
  name: keyof typeof messages.conditions.advancedFields
  path: FieldPath
  /** `list`: JSON; `number`: a whole number; a list of words: one of them. */
  kind?: 'list' | 'number' | readonly string[]
  /** An empty field is omitted rather than stored empty. */
  isOptional?: boolean
}

const testFields: readonly AdvancedField[] = [
  { name: 'comparator', path: ['returnValueTest', 'comparator'], kind: comparators },
  { name: 'value', path: ['returnValueTest', 'value'] },
]
const parametersField: AdvancedField = { name: 'parameters', path: ['parameters'], kind: 'list', isOptional: true }
/** All fields of a condition, by chain type. */
const fieldsByType: Readonly<Partial<Record<DraftChainType, readonly AdvancedField[]>>> = {
  EVM: [
    {
      name: 'standardContractType',
      path: ['standardContractType'],
      kind: ['', 'ERC20', 'ERC721', 'ERC1155', 'Custom'],
    },
    { name: 'method', path: ['method'] },
    { name: 'contractAddress', path: ['contractAddress'] },
    parametersField,
    { name: 'inputArrayType', path: ['inputArrayType'], kind: 'list', isOptional: true },
    { name: 'outputType', path: ['outputType'], kind: ['', ...abiTypes], isOptional: true },
    ...testFields,
  ],
  SOLANA: [
    { name: 'standardContractType', path: ['standardContractType'], kind: ['', 'spl-token'] },
    {
      name: 'method',
      path: ['method'],
      kind: ['getBalance', 'getLastBlockTime', 'getBlockHeight', 'getTokenAccountsByOwner'],
    },
    { name: 'contractAddress', path: ['contractAddress'] },
    parametersField,
    { name: 'selector', path: ['pdaInterface', 'selector'] },
    { name: 'offset', path: ['pdaInterface', 'offset'], kind: 'number', isOptional: true },
    ...testFields,
  ],
  COREUM: [
    { name: 'method', path: ['method'], kind: ['getFtsByAddress', 'getNftsByAddress', 'getLastBlockTime'] },
    { name: 'denom', path: ['denom'], isOptional: true },
    { name: 'classid', path: ['classid'], isOptional: true },
    { name: 'contractAddress', path: ['contractAddress'], isOptional: true },
    parametersField,
    ...testFields,
  ],
}

/** Those that the conditions of every family have. */
const commonFields: readonly AdvancedField[] = [{ name: 'method', path: ['method'] }, parametersField, ...testFields]

/** Returns all fields of a condition of a chain type. */
export function advancedFieldsOf(chainType: DraftChainType): readonly AdvancedField[] {
  return fieldsByType[chainType] ?? commonFields
}
