import { randomUUID } from 'node:crypto'
import { requireTags } from '../objects/object-info.ts'
import { s3Error } from '../s3-error.ts'
import type { ReadElement } from '../xml/read-xml.ts'
import { coversAll, type LifecycleRule, midnightAfter } from './rules.ts'

const maxRules = 1000
const maxIdCharacters = 255
const maxPrefixBytes = 1024
const maxEarlierKept = 100

/** Actions that move objects to other storage classes, of which the service has none. */
const refusedActions = ['Transition', 'NoncurrentVersionTransition']

const conditionNames = ['Prefix', 'Tag', 'ObjectSizeGreaterThan', 'ObjectSizeLessThan']

/**
 * Child elements of a rule and of its parts. Others are rejected: a condition that is not understood would make the rule delete more
 * than was meant.
 */
const childNames: Readonly<Record<string, readonly string[]>> = {
  Rule: [
    ...['ID', 'Status', 'Prefix', 'Filter', 'Expiration', 'NoncurrentVersionExpiration'],
    'AbortIncompleteMultipartUpload',
  ],
  Filter: [...conditionNames, 'And'],
  And: conditionNames,
  Tag: ['Key', 'Value'],
  Expiration: ['Days', 'Date', 'ExpiredObjectDeleteMarker'],
  NoncurrentVersionExpiration: ['NoncurrentDays', 'NewerNoncurrentVersions'],
  AbortIncompleteMultipartUpload: ['DaysAfterInitiation'],
}

function requireKnown(element: ReadElement): void {
  const known = childNames[element.name] ?? []
  const unknown = element.childNames.find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw s3Error('MalformedXML', `${element.name} has an unknown element ${unknown.slice(0, 64)}`)
  for (const name of known) for (const child of element.all(name)) requireKnown(child)
}

/** Reads a lifecycle configuration. @throws CairnError `MalformedXML`, `InvalidArgument`, `InvalidRequest`, `NotImplemented` */
export function readRules(document: ReadElement): LifecycleRule[] {
  const elements = document.all('Rule')
  if (elements.length === 0 || elements.length > maxRules) throw s3Error('MalformedXML', `Send 1 to ${maxRules} rules.`)
  const rules = elements.map(readRule)
  if (new Set(rules.map(({ id }) => id)).size < rules.length)
    throw s3Error('InvalidArgument', 'Rule ID must be unique. Found same ID for more than one rule')
  return rules
}

function readRule(rule: ReadElement): LifecycleRule {
  const refused = refusedActions.find((name) => rule.all(name).length > 0)
  if (refused !== undefined) throw s3Error('NotImplemented', `${refused} is not supported: there is one storage class.`)
  requireKnown(rule)
  const status = rule.textOf('Status')?.trim()
  if (status !== 'Enabled' && status !== 'Disabled') throw s3Error('MalformedXML')
  const read: LifecycleRule = {
    id: readId(rule.textOf('ID')),
    isEnabled: status === 'Enabled',
    ...readFilter(rule),
    ...readExpiration(oneOf(rule, 'Expiration')),
    ...readEarlier(oneOf(rule, 'NoncurrentVersionExpiration')),
    ...readAbort(oneOf(rule, 'AbortIncompleteMultipartUpload')),
  }
  requireSense(read)
  return read
}

function readId(text: string | undefined): string {
  if (text === undefined || text === '') return randomUUID()
  if (text.length > maxIdCharacters)
    throw s3Error('InvalidArgument', `ID length should not exceed allowed limit of ${maxIdCharacters}`)
  return text
}

function readFilter(
  rule: ReadElement,
): Pick<LifecycleRule, 'hasFilter' | 'prefix' | 'tags' | 'largerThan' | 'smallerThan'> {
  const filter = oneOf(rule, 'Filter')
  const prefix = rule.textOf('Prefix')
  // One of them is required, so that a rule without either cannot delete a whole bucket by mistake.
  if ((filter === undefined) === (prefix === undefined)) throw s3Error('MalformedXML')
  if (filter === undefined) return { hasFilter: false, prefix: requirePrefix(prefix ?? ''), tags: [] }
  const and = oneOf(filter, 'And')
  // Without And, a filter has one condition at most. Some clients send an empty prefix beside it.
  const direct = conditionNames.flatMap((name) => filter.all(name)).filter(({ text }) => text !== '')
  if (direct.length > (and === undefined ? 1 : 0)) throw s3Error('MalformedXML')
  const within = and ?? filter
  return {
    hasFilter: true,
    prefix: requirePrefix(within.textOf('Prefix') ?? ''),
    tags: requireTags(
      within.all('Tag').map((tag) => ({ key: tag.textOf('Key') ?? '', value: tag.textOf('Value') ?? '' })),
    ),
    ...sizeOf('largerThan', within.textOf('ObjectSizeGreaterThan')),
    ...sizeOf('smallerThan', within.textOf('ObjectSizeLessThan')),
  }
}

function requirePrefix(prefix: string): string {
  if (Buffer.byteLength(prefix) > maxPrefixBytes)
    throw s3Error('InvalidRequest', 'The maximum size of a prefix is 1024.')
  return prefix
}

function sizeOf<Name extends 'largerThan' | 'smallerThan'>(
  name: Name,
  text: string | undefined,
): Partial<Record<Name, number>> {
  return named(name, text === undefined ? undefined : readNumber(text, 15))
}

function readExpiration(element: ReadElement | undefined): Pick<LifecycleRule, 'days' | 'date' | 'removesMarkers'> {
  if (element === undefined) return {}
  const days = element.textOf('Days')
  const date = element.textOf('Date')
  const marker = element.textOf('ExpiredObjectDeleteMarker')
  if ([days, date, marker].filter((one) => one !== undefined).length !== 1) throw s3Error('MalformedXML')
  if (days !== undefined) return { days: readDays(days, 'Days', 'Expiration') }
  if (date !== undefined) return { date: readDate(date) }
  const isSet = marker?.trim().toLowerCase()
  if (isSet !== 'true' && isSet !== 'false') throw s3Error('MalformedXML')
  return { removesMarkers: isSet === 'true' }
}

function readEarlier(element: ReadElement | undefined): Pick<LifecycleRule, 'earlierDays' | 'earlierKept'> {
  if (element === undefined) return {}
  const days = element.textOf('NoncurrentDays')
  const kept = element.textOf('NewerNoncurrentVersions')
  if (days === undefined) throw s3Error('MalformedXML')
  const count = kept === undefined ? undefined : readNumber(kept, 9)
  if (count !== undefined && (count === 0 || count > maxEarlierKept)) {
    throw s3Error(
      'InvalidArgument',
      `'NewerNoncurrentVersions' for NoncurrentVersionExpiration action must be from 1 to ${maxEarlierKept}`,
    )
  }
  return {
    earlierDays: readDays(days, 'NoncurrentDays', 'NoncurrentVersionExpiration'),
    ...named('earlierKept', count),
  }
}

function readAbort(element: ReadElement | undefined): Pick<LifecycleRule, 'abortDays'> {
  if (element === undefined) return {}
  const days = element.textOf('DaysAfterInitiation')
  if (days === undefined) throw s3Error('MalformedXML')
  return { abortDays: readDays(days, 'DaysAfterInitiation', 'AbortIncompleteMultipartUpload') }
}

/** @throws CairnError `InvalidRequest` for a rule without an action, or one whose conditions its action does not have */
function requireSense(rule: LifecycleRule): void {
  const { days, date, removesMarkers, earlierDays, abortDays } = rule
  const actions = [days, date, removesMarkers, earlierDays, abortDays]
  if (actions.every((one) => one === undefined))
    throw s3Error('InvalidRequest', 'At least one action needs to be specified in a rule.')
  if (coversAll(rule)) return
  const wrong =
    removesMarkers !== undefined
      ? 'ExpiredObjectDeleteMarker'
      : abortDays !== undefined
        ? 'AbortIncompleteMultipartUpload'
        : undefined
  if (wrong !== undefined) throw s3Error('InvalidRequest', `${wrong} cannot be specified with tags or sizes.`)
}

/** Returns the only child element with a name; undefined if there is none. @throws CairnError `MalformedXML` */
function oneOf(element: ReadElement, name: string): ReadElement | undefined {
  const [found, more] = element.all(name)
  if (more !== undefined) throw s3Error('MalformedXML')
  return found
}

function readNumber(text: string, digits: number): number {
  const trimmed = text.trim()
  if (!/^\d+$/.test(trimmed) || trimmed.length > digits) throw s3Error('MalformedXML')
  return Number(trimmed)
}

function readDays(text: string, name: string, action: string): number {
  const days = /^\d{1,6}$/.test(text.trim()) ? Number(text) : 0
  if (days === 0) throw s3Error('InvalidArgument', `'${name}' for ${action} action must be a positive integer`)
  return days
}

/** Reads a date such as `2030-01-01` or `2030-01-01T00:00:00Z`. */
function readDate(text: string): number {
  const date = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/.test(text.trim()) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(date)) throw s3Error('MalformedXML')
  if (midnightAfter(date) !== date) throw s3Error('InvalidArgument', "'Date' must be at midnight GMT")
  return date
}

function named<Name extends string>(name: Name, value: number | undefined): Partial<Record<Name, number>> {
  const found: Partial<Record<Name, number>> = {}
  if (value !== undefined) found[name] = value
  return found
}
