"""The text of a document as ttconv models it."""

from ttconv import model


def text_of(element):
    if isinstance(element, model.Text):
        return element.get_text()
    if isinstance(element, model.Br):
        return "\n"
    return "".join(text_of(child) for child in element)


def paragraphs_of(element):
    if isinstance(element, model.P):
        return [text_of(element)]
    return [text for child in element for text in paragraphs_of(child)]
