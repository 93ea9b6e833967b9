// Reads and interprets PDF files, away from the page. It starts listening by being loaded.
import 'pdfjs-dist/legacy/build/pdf.worker.mjs'
