/** Another Chromium or Chrome for tests, when the package has none for this platform. */
export const ownChromium = process.env['CAIRN_TEST_CHROMIUM']

/** Whether tests with a browser can run here: the package has a build for Linux on x64 alone. */
export const hasChromium = ownChromium !== undefined || (process.platform === 'linux' && process.arch === 'x64')
