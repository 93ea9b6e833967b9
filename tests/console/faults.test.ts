// What pages show when a part of the network fails: the fault, another try, and what was there before.
import { createClient, createName } from '@cairn/sdk'
import type { Route } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest({ chain: 'local' })
})
afterAll(() => site?.[Symbol.asyncDispose]())

const failWith = (status: number, error: { code: string; message: string }) => (route: Route) =>
  route.fulfill({ status, json: { error: { ...error, details: {} } }, headers: { 'x-cairn-code': error.code } })
const broken = failWith(500, { code: 'INTERNAL', message: 'Something broke inside' })

test('a page whose call fails says so and tries again', async () => {
  const opened = await site.newPage()
  const { page } = opened
  opened.expectProblem(/status of 50[03]/)
  await opened.open('/settings')
  await opened.signIn()
  for (const [path, call, shown] of [
    ['/names', '**/api/names*', 'No names yet'],
    ['/storage', '**/api/payments?*', 'No payments yet'],
    ['/storage', '**/api/user/quota*', 'Over time'],
    ['/proofs', '**/api/user/copies', 'One copy more'],
    ['/keys', '**/api/auth/api_keys', 'This session'],
  ] as const) {
    await page.route(call, broken)
    await opened.open(path)
    await page
      .getByRole('alert')
      .getByText(/^Code /)
      .waitFor()
    expect([path, await opened.checkAccessibility()]).toEqual([path, []])
    await page.unroute(call)
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click()
    await page.getByText(shown).or(page.getByLabel(shown)).first().waitFor()
  }
})

test('what was there before stays when it cannot be refreshed', async () => {
  const opened = await site.newPage()
  const { page } = opened
  opened.expectProblem(/status of 50[03]/)
  await opened.open('/names')
  await opened.signIn()
  const kept: string = await page.evaluate("sessionStorage.getItem('cairn.session')")
  const { apiKey }: { apiKey: string } = JSON.parse(kept)
  await createName(createClient({ network: site.network.profile, apiKey }), { label: 'still here' })
  await page.reload()
  await page.getByRole('link', { name: 'still here' }).waitFor()
  await page.route('**/api/names*', broken)
  // Something changed, so the list is asked for again.
  await page.getByRole('button', { name: 'Actions for still here' }).click()
  await page.getByRole('menuitem', { name: 'Change label' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Change label' }).click()
  await page.getByText('Could not refresh. What you see is from before.').waitFor()
  await page.getByRole('link', { name: 'still here' }).waitFor()
  expect(await opened.checkAccessibility()).toEqual([])
})

test('a price that is not known leaves the stablecoins', async () => {
  const opened = await site.newPage()
  const { page } = opened
  opened.expectProblem(/status of 50[03]/)
  await page.route(
    '**/api/lighthouse/get_ticker*',
    failWith(503, { code: 'PRICE_UNKNOWN', message: 'There is no fresh price' }),
  )
  await opened.open('/storage')
  await opened.signIn()
  await page.getByText('The price of this coin is not known right now.').waitFor()
  expect(await page.getByRole('button', { name: 'Review payment' }).isDisabled()).toBe(true)
  await page.getByText('USDC', { exact: true }).click()
  await page.getByText('40 USDC', { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: 'Review payment' }).isEnabled()).toBe(true)
})
