import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import * as v from 'valibot'
import { accessSearchSchema } from './files/access-search.ts'
import { fileSearchSchema } from './files/file-search.ts'
import { filesSearchSchema } from './files/files-search.ts'
import { sharedSearchSchema } from './files/shared-search.ts'
import { namesSearchSchema } from './names/names-search.ts'
import { storageSearchSchema } from './payments/storage-search.ts'
import { BrokenPage, NotFoundPage } from './shell/Problems.tsx'
import { Shell } from './shell/Shell.tsx'

// Every route of the console. Each page is a separate chunk, loaded on first intent to open it.

const root = createRootRoute({ component: Shell, errorComponent: BrokenPage, notFoundComponent: NotFoundPage })

const welcome = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/welcome/WelcomePage.tsx'), 'WelcomePage'),
})
const files = createRoute({
  getParentRoute: () => root,
  path: '/files',
  validateSearch: (search) => v.parse(filesSearchSchema, search),
  component: lazyRouteComponent(() => import('./pages/files/FilesPage.tsx'), 'FilesPage'),
})
/** A child of the list, and shown over it: Back closes it. */
const file = createRoute({
  getParentRoute: () => files,
  path: '$cid',
  validateSearch: (search) => v.parse(fileSearchSchema, search),
  component: lazyRouteComponent(() => import('./pages/file/FilePage.tsx'), 'FilePage'),
})
const filePath = createRoute({
  getParentRoute: () => files,
  path: '$cid/$',
  component: lazyRouteComponent(() => import('./pages/file/FilePage.tsx'), 'FilePage'),
})
const fileAccess = createRoute({
  getParentRoute: () => root,
  path: '/files/$cid/access',
  validateSearch: (search) => v.parse(accessSearchSchema, search),
  component: lazyRouteComponent(() => import('./pages/file/AccessPage.tsx'), 'AccessPage'),
})
const open = createRoute({
  getParentRoute: () => root,
  path: '/open/$cid',
  component: lazyRouteComponent(() => import('./pages/open/OpenPage.tsx'), 'OpenPage'),
})
const link = createRoute({
  getParentRoute: () => root,
  path: '/link/$id',
  component: lazyRouteComponent(() => import('./pages/link/LinkPage.tsx'), 'LinkPage'),
})
const shared = createRoute({
  getParentRoute: () => root,
  path: '/shared',
  validateSearch: (search) => v.parse(sharedSearchSchema, search),
  component: lazyRouteComponent(() => import('./pages/shared/SharedPage.tsx'), 'SharedPage'),
})
const names = createRoute({
  getParentRoute: () => root,
  path: '/names',
  validateSearch: (search) => v.parse(namesSearchSchema, search),
  component: lazyRouteComponent(() => import('./pages/names/NamesPage.tsx'), 'NamesPage'),
})
const name = createRoute({
  getParentRoute: () => root,
  path: '/names/$key',
  component: lazyRouteComponent(() => import('./pages/names/NamePage.tsx'), 'NamePage'),
})
const storage = createRoute({
  getParentRoute: () => root,
  path: '/storage',
  validateSearch: (search) => v.parse(storageSearchSchema, search),
  component: lazyRouteComponent(() => import('./pages/storage/StoragePage.tsx'), 'StoragePage'),
})
const proofs = createRoute({
  getParentRoute: () => root,
  path: '/proofs',
  component: lazyRouteComponent(() => import('./pages/proofs/ProofsPage.tsx'), 'ProofsPage'),
})
const proof = createRoute({
  getParentRoute: () => root,
  path: '/proofs/$cid',
  component: lazyRouteComponent(() => import('./pages/proofs/ProofPage.tsx'), 'ProofPage'),
})
const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  component: lazyRouteComponent(() => import('./pages/keys/KeysPage.tsx'), 'KeysPage'),
})
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages/settings/SettingsPage.tsx'), 'SettingsPage'),
})
const status = createRoute({
  getParentRoute: () => root,
  path: '/status',
  component: lazyRouteComponent(() => import('./pages/status/StatusPage.tsx'), 'StatusPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    welcome,
    files.addChildren([file, filePath]),
    fileAccess,
    open,
    link,
    shared,
    names,
    name,
    storage,
    proofs,
    proof,
    keys,
    settings,
    status,
  ]),
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can add to another module's.
  interface Register {
    router: typeof router
  }
}
