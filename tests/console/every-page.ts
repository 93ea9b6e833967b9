// What every page and everything that opens over it must meet: readable in both themes and all accents, no horizontal
// scrolling on the narrowest phone, nothing in the console. One network and browser for all, inspected in place.
import { testAccountPages } from './looks/account-pages.ts'
import { testChecker } from './looks/checker.ts'
import { testDrive } from './looks/drive.ts'
import { testEncrypted } from './looks/encrypted.ts'
import { testFiles } from './looks/files.ts'
import { openLooks } from './looks/looks.ts'
import { testOverlays } from './looks/overlays.ts'
import { testStates } from './looks/states.ts'
import { testUploading } from './looks/uploading.ts'
import { testVisitor } from './looks/visitor.ts'

/** Defines the tests of all states, see {@link openLooks}. */
export function testEveryPage(isExhaustive: boolean): void {
  const looks = openLooks(isExhaustive)
  testChecker(looks)
  testVisitor(looks)
  testFiles(looks)
  testDrive(looks)
  testUploading(looks)
  testAccountPages(looks)
  testEncrypted(looks)
  testOverlays(looks)
  testStates(looks)
}
