import { createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { pages, root } from './pages.ts'
import { BrokenPage } from './shell/BrokenPage.tsx'
import { Shell } from './shell/Shell.tsx'
import { Skeleton } from './ui/states/Skeleton.tsx'

export const router = createRouter({
  // The frame is set here: it links to the pages, so their record cannot import it.
  routeTree: root
    .update({
      component: Shell,
      errorComponent: BrokenPage,
      notFoundComponent: lazyRouteComponent(() => import('./shell/NotFoundPage.tsx'), 'NotFoundPage'),
    })
    .addChildren(pages),
  // Around each page, so that the frame stays.
  defaultErrorComponent: BrokenPage,
  // On a slow network, the page before would stay, or nothing would be shown after signing in.
  defaultPendingComponent: Skeleton,
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can add to another module's.
  interface Register {
    router: typeof router
  }
}
