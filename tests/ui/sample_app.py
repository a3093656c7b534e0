from dpviz.ui.frame import render
from tests.ui.sample import PAGE

render(PAGE)
