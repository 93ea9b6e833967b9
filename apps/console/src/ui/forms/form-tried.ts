import { createContext } from 'react'

/** Whether users have tried to submit the form around a field, which then shows all of its errors. */
export const FormTried = createContext(false)
