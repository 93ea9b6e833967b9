import type { Page } from 'playwright'

/** The button of the upload sheet, whose words say who will be able to open what is uploaded. */
export const startButton = { public: /^Upload .+ publicly$/, encrypted: /^Encrypt and upload / } as const

/** Chooses who can open what is in the upload sheet, and starts the upload. */
export async function startUpload(page: Page, access: keyof typeof startButton): Promise<void> {
  const sheet = page.getByRole('dialog', { name: 'Upload' })
  await sheet.getByText(access === 'public' ? 'Public' : 'Encrypted', { exact: true }).click()
  await sheet.getByRole('button', { name: startButton[access] }).click()
}
