// Every state of the console in both looks, and all of its colours in all accents and themes.
import { testEveryPage } from '../console/every-page.ts'

testEveryPage(true)
