import type { KnownDrive } from '@cairn/sdk'
import * as v from 'valibot'
import { openKeptList } from '../browser/kept-list.ts'

const text = v.pipe(v.string(), v.maxLength(400))
const known = v.object({ keyCid: text, revision: v.pipe(v.number(), v.safeInteger()), tip: text })
/** The drives that this browser has seen, to recognise a service that returns an older one. Not secret. */
const list = openKeptList('cairn.drives', v.object({ account: text, known }), 20)

export function readKnownDrive(account: string): KnownDrive | undefined {
  return list.read().find((one) => one.account === account)?.known
}

/** Stores what was seen of a drive; undefined clears it. */
export function keepKnownDrive(account: string, seen: KnownDrive | undefined): void {
  const others = list.read().filter((one) => one.account !== account)
  list.write(seen === undefined ? others : [...others, { account, known: seen }])
}
