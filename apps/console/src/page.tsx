import { lazyRouteComponent, type RouteComponent } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import type { IconComponent } from '#icons'
import { loadPart } from './parts/load-part.ts'
import type { Session } from './session/session-store.ts'

/** A page as the navigation, the palette and the shortcuts know it. */
export type PageEntry = {
  title: () => string
  icon: IconComponent
  /** `main`: in the rail, and on a phone in the bottom bar or behind More. `foot`: below them, as text. */
  section: 'main' | 'foot'
  /** The key that opens the page after `g`. */
  shortcut?: string
}

/** One page of the console, except for what its route infers types from: path, search parameters and parent. */
export type PageRecord = {
  /** A page without an entry opens from another page or from a link. */
  entry?: PageEntry
} & (
  | { needsWallet: true; load: () => Promise<ComponentType<{ session: Session }>> }
  | { needsWallet: false; load: () => Promise<ComponentType> }
)

declare module '@tanstack/react-router' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can add to another module's.
  interface StaticDataRouteOption {
    page?: PageRecord
  }
}

/** Returns the options of a page's route. The page is a chunk of its own, loaded on first intent to open it. */
export function definePage(page: PageRecord): { component: RouteComponent; staticData: { page: PageRecord } } {
  return { component: lazyRouteComponent(() => loadPart(() => loadPage(page))), staticData: { page } }
}

async function loadPage(page: PageRecord): Promise<{ default: ComponentType }> {
  if (!page.needsWallet) return { default: await page.load() }
  const [Page, { SignInGate }] = await Promise.all([page.load(), import('./session/SignInGate.tsx')])
  const title = page.entry?.title()
  return { default: () => <SignInGate title={title}>{(session) => <Page session={session} />}</SignInGate> }
}
