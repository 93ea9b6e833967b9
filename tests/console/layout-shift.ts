import type { Page } from 'playwright'

/** Returns how much of the page moved by itself since it was loaded: the sum of all shifts. @see https://web.dev/articles/cls */
export async function measureShift(page: Page): Promise<number> {
  return Number(
    await page.evaluate(
      `new Promise((resolve) => { let sum = 0; new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) sum += one.value }).observe({ type: 'layout-shift', buffered: true }); setTimeout(() => resolve(sum), 100) })`,
    ),
  )
}
