import { lazyPart } from '../../parts/lazy-part.tsx'

/** Highlighted code. The text is as readable without colours if they cannot be loaded. */
export const LazyCode = lazyPart(
  async () => (await import('./CodeView.tsx')).CodeView,
  ({ text }: { text: string; language: string }) => text,
)
