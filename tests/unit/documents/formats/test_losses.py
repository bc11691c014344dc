from ascertain.core.documents.documents import LeftOut
from ascertain.documents.formats.drafts.losses import Losses


def test_losses_are_counted_by_kind_with_the_names_of_the_first_few():
    losses = Losses()
    for number in range(7):
        losses.add("pictures", "two words", f" boat  {number % 6}.png")
    losses.add("films", name=None)
    losses.add("rows", count=3)
    names = ("boat 0.png", "boat 1.png", "boat 2.png", "boat 3.png", "boat 4.png")
    assert losses.left_out() == (LeftOut("pictures", 7, 14, names), LeftOut("films"), LeftOut("rows", 3))


def test_what_parts_of_a_document_lack_is_added_up():
    losses = Losses()
    losses.include([LeftOut("charts", 2, 5, ("Sales",)), LeftOut("films")])
    losses.include([LeftOut("charts", 1, 1, ("Sales", "Boats"))])
    assert losses.left_out() == (LeftOut("charts", 3, 6, ("Sales", "Boats")), LeftOut("films"))
