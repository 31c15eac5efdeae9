"""Validates every signature of PDF files with pyHanko.

Input: a JSON array of paths on standard input. Output: one JSON object a line, in the same order:
{"path", "signatures": [{"field", "intact", "valid", "coverage", "modification"}]}.
Trust is left out: the certificates of tests are self-signed.
"""

import json
import logging
import sys

from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import validate_pdf_signature
from pyhanko_certvalidator import ValidationContext


def signatures_of(path):
    found = []
    with open(path, "rb") as file:
        reader = PdfFileReader(file, strict=False)
        for signature in reader.embedded_signatures:
            certificate = signature.signer_cert
            context = ValidationContext(trust_roots=[certificate], allow_fetching=False)
            status = validate_pdf_signature(signature, signer_validation_context=context)
            level = status.modification_level
            found.append(
                {
                    "field": signature.field_name,
                    "intact": status.intact,
                    "valid": status.valid,
                    "coverage": status.coverage.name,
                    "modification": level.name if level is not None else None,
                }
            )
    return found


def main():
    logging.disable(logging.CRITICAL)
    for path in json.load(sys.stdin):
        try:
            answer = {"path": path, "signatures": signatures_of(path)}
        except Exception as error:
            answer = {"path": path, "error": "%s: %s" % (type(error).__name__, error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
