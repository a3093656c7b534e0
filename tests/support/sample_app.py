from dpviz.ui.frame import render
from tests.support.sample import PAGE

render(PAGE)
