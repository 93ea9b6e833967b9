/** Another Chromium or Chrome for tests, if the package has none for this platform. */
export const ownChromium = process.env['CAIRN_TEST_CHROMIUM']

/** Whether browser tests can run here: the package has a build only for Linux on x64. */
export const hasChromium = ownChromium !== undefined || (process.platform === 'linux' && process.arch === 'x64')
