import type { Page } from 'playwright'

/** The button of the upload sheet, whose text says who will be able to open the upload. */
export const startButton = {
  public: /^Upload .+ publicly$/,
  private: /^Upload .+ privately$/,
  encrypted: /^Encrypt and upload /,
} as const

const choices = { public: 'Public', private: 'Private', encrypted: 'Encrypted' } as const

/** Selects who can open the files in the upload sheet, and starts the upload. */
export async function startUpload(page: Page, access: keyof typeof startButton): Promise<void> {
  const sheet = page.getByRole('dialog', { name: 'Upload' })
  await sheet.getByText(choices[access], { exact: true }).click()
  await sheet.getByRole('button', { name: startButton[access] }).click()
}
