import { createRootRoute, createRoute } from '@tanstack/react-router'
import { Activity, Bell, Blocks, Database, Files, KeyRound, Link2, Settings, Signpost, Users } from '#icons'
import { accessSearchSchema } from './access/access-search.ts'
import { sharedSearchSchema } from './access/shared-search.ts'
import { activitySearchSchema } from './activity/activity-search.ts'
import { billingSearchSchema } from './billing/billing-search.ts'
import { fileSearchSchema } from './files/file-search.ts'
import { filesSearchSchema } from './files/files-search.ts'
import { messages } from './messages/messages.ts'
import { namesSearchSchema } from './names/names-search.ts'
import { definePage } from './page.tsx'

// Every page of the console, once. The router, the navigation, the shortcuts and their help, the palette, the paths that
// the storage service answers with the console, and the tests of every page all read this record.

/** The frame of every page. */
export const root = createRootRoute()

const files = createRoute({
  getParentRoute: () => root,
  path: '/files',
  validateSearch: filesSearchSchema,
  ...definePage({
    entry: { title: () => messages.pages.files, icon: Files, section: 'main', shortcut: 'f' },
    // Visitors can open a public file without the list.
    needsWallet: false,
    load: async () => (await import('./drive/FilesPage.tsx')).FilesPage,
  }),
})

// A file is a child of the list and shown over it: Back closes it.
const openFile = definePage({
  needsWallet: false,
  load: async () => (await import('./files/FilePage.tsx')).FilePage,
})
const file = createRoute({
  getParentRoute: () => files,
  path: '$cid',
  validateSearch: fileSearchSchema,
  ...openFile,
})
const filePath = createRoute({ getParentRoute: () => files, path: '$cid/$', ...openFile })

/** The pages, in the order of the navigation. */
export const pages = {
  welcome: createRoute({
    getParentRoute: () => root,
    path: '/',
    ...definePage({
      needsWallet: false,
      load: async () => (await import('./welcome/WelcomePage.tsx')).WelcomePage,
    }),
  }),
  files: files.addChildren([file, filePath]),
  fileAccess: createRoute({
    getParentRoute: () => root,
    path: '/files/$cid/access',
    validateSearch: accessSearchSchema,
    // Its heading says whose file it is; the panel below asks visitors to sign in.
    ...definePage({ needsWallet: false, load: async () => (await import('./access/AccessPage.tsx')).AccessPage }),
  }),
  open: createRoute({
    getParentRoute: () => root,
    path: '/open/$cid',
    ...definePage({ needsWallet: false, load: async () => (await import('./files/OpenPage.tsx')).OpenPage }),
  }),
  link: createRoute({
    getParentRoute: () => root,
    path: '/link/$id',
    ...definePage({ needsWallet: false, load: async () => (await import('./links/LinkPage.tsx')).LinkPage }),
  }),
  uploadLink: createRoute({
    getParentRoute: () => root,
    path: '/upload-link',
    ...definePage({
      needsWallet: false,
      load: async () => (await import('./upload-links/UploadLinkPage.tsx')).UploadLinkPage,
    }),
  }),
  shared: createRoute({
    getParentRoute: () => root,
    path: '/shared',
    validateSearch: sharedSearchSchema,
    ...definePage({
      entry: { title: () => messages.pages.shared, icon: Users, section: 'main', shortcut: 's' },
      needsWallet: true,
      load: async () => (await import('./access/SharedPage.tsx')).SharedPage,
    }),
  }),
  links: createRoute({
    getParentRoute: () => root,
    path: '/links',
    ...definePage({
      entry: { title: () => messages.pages.links, icon: Link2, section: 'main', shortcut: 'l' },
      needsWallet: true,
      load: async () => (await import('./upload-links/LinksPage.tsx')).LinksPage,
    }),
  }),
  names: createRoute({
    getParentRoute: () => root,
    path: '/names',
    validateSearch: namesSearchSchema,
    ...definePage({
      entry: { title: () => messages.pages.names, icon: Signpost, section: 'main', shortcut: 'n' },
      needsWallet: true,
      load: async () => (await import('./names/NamesPage.tsx')).NamesPage,
    }),
  }),
  name: createRoute({
    getParentRoute: () => root,
    path: '/names/$key',
    ...definePage({ needsWallet: true, load: async () => (await import('./names/NamePage.tsx')).NamePage }),
  }),
  billing: createRoute({
    getParentRoute: () => root,
    path: '/billing',
    validateSearch: billingSearchSchema,
    ...definePage({
      entry: { title: () => messages.pages.billing, icon: Database, section: 'main', shortcut: 't' },
      needsWallet: true,
      load: async () => (await import('./billing/BillingPage.tsx')).BillingPage,
    }),
  }),
  proofs: createRoute({
    getParentRoute: () => root,
    path: '/proofs',
    ...definePage({
      entry: { title: () => messages.pages.proofs, icon: Blocks, section: 'main', shortcut: 'p' },
      needsWallet: true,
      load: async () => (await import('./proofs/ProofsPage.tsx')).ProofsPage,
    }),
  }),
  proof: createRoute({
    getParentRoute: () => root,
    path: '/proofs/$cid',
    ...definePage({ needsWallet: false, load: async () => (await import('./proofs/ProofPage.tsx')).ProofPage }),
  }),
  activity: createRoute({
    getParentRoute: () => root,
    path: '/activity',
    validateSearch: activitySearchSchema,
    ...definePage({
      entry: { title: () => messages.pages.activity, icon: Bell, section: 'main', shortcut: 'a' },
      needsWallet: true,
      load: async () => (await import('./activity/ActivityPage.tsx')).ActivityPage,
    }),
  }),
  receipt: createRoute({
    getParentRoute: () => root,
    path: '/billing/receipts/$id',
    ...definePage({ needsWallet: true, load: async () => (await import('./billing/ReceiptPage.tsx')).ReceiptPage }),
  }),
  apiKeys: createRoute({
    getParentRoute: () => root,
    path: '/api-keys',
    ...definePage({
      entry: { title: () => messages.pages.apiKeys, icon: KeyRound, section: 'main' },
      needsWallet: true,
      load: async () => (await import('./api-keys/ApiKeysPage.tsx')).ApiKeysPage,
    }),
  }),
  settings: createRoute({
    getParentRoute: () => root,
    path: '/settings',
    ...definePage({
      entry: { title: () => messages.pages.settings, icon: Settings, section: 'main', shortcut: ',' },
      needsWallet: false,
      load: async () => (await import('./settings/SettingsPage.tsx')).SettingsPage,
    }),
  }),
  status: createRoute({
    getParentRoute: () => root,
    path: '/status',
    ...definePage({
      entry: { title: () => messages.pages.status, icon: Activity, section: 'foot' },
      needsWallet: false,
      load: async () => (await import('./status/StatusPage.tsx')).StatusPage,
    }),
  }),
}
