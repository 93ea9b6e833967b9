import { testEveryPage } from './every-page.ts'

testEveryPage(false)
