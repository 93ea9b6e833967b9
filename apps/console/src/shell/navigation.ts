import type { PageEntry } from '../page.tsx'
import { pages } from '../pages.ts'

type PagePath = Extract<(typeof pages)[keyof typeof pages]['options'], { path: string }>['path']
/** A page of the navigation: one that opens without parameters. */
export type Place = PageEntry & { to: Exclude<PagePath, `${string}$${string}`> }

/** The places of the console, in the order of the record of the pages. */
export const places: readonly Place[] = Object.values(pages).flatMap(({ options }) => {
  const entry = options.staticData?.page?.entry
  return entry === undefined || !('path' in options) || hasParameters(options.path)
    ? []
    : [{ ...entry, to: options.path }]
})

/** The places of the rail. */
export const mainPlaces = places.filter(({ section }) => section === 'main')
/** The places below them. */
export const footPlaces = places.filter(({ section }) => section === 'foot')

/** Number of places in the bottom bar of a phone. */
export const barPlaces = 4

function hasParameters(path: PagePath): path is Extract<PagePath, `${string}$${string}`> {
  return path.includes('$')
}
