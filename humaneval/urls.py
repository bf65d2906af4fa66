"""The addresses of studies: what volunteers see. Those of maintainers stand in `maintenance_urls`."""

from django.urls import URLPattern, path

from humaneval.views import desk, reader, volunteer

QUESTION = "<slug:slug>/questions/<int:number>/"

urlpatterns: list[URLPattern] = [
    path("<slug:slug>/join/<str:token>/", volunteer.join, name="study-join"),
    path("<slug:slug>/", volunteer.home, name="study-home"),
    path("<slug:slug>/consent/", volunteer.consent, name="study-consent"),
    path("<slug:slug>/declined/", volunteer.declined, name="study-declined"),
    path("<slug:slug>/instructions/", volunteer.instructions, name="study-instructions"),
    path("<slug:slug>/practice/", desk.practice, name="study-practice"),
    path("<slug:slug>/questions/", volunteer.questions, name="study-questions"),
    path(QUESTION, desk.question, name="study-question"),
    path(f"{QUESTION}answer/", desk.answer, name="study-answer"),
    path(f"{QUESTION}aside/", desk.set_aside, name="study-aside"),
    path(f"{QUESTION}standing/", desk.standing, name="study-standing"),
    path(f"{QUESTION}done/", desk.done, name="study-done"),
    path(f"{QUESTION}skip/", desk.skip, name="study-skip"),
    path(f"{QUESTION}note/", desk.note, name="study-note"),
    path(f"{QUESTION}search/", reader.search, name="study-search"),
    path(f"{QUESTION}suggest/", reader.suggest, name="study-suggest"),
    path(f"{QUESTION}article/", reader.article, name="study-article"),
    path(f"{QUESTION}passages/", reader.passages, name="study-passages"),
    path(f"{QUESTION}outside/", reader.outside, name="study-outside"),
    path(f"{QUESTION}image/", reader.image, name="study-image"),
    path(f"{QUESTION}visits/", reader.report, name="study-report"),
    path(f"{QUESTION}visits/<int:pk>/", reader.visit, name="study-visit"),
    path("<slug:slug>/finish/", volunteer.finish, name="study-finish"),
    path("<slug:slug>/thanks/", volunteer.thanks, name="study-thanks"),
    path("<slug:slug>/withdraw/", volunteer.withdraw, name="study-withdraw"),
    path("<slug:slug>/withdrawn/<slug:how>/", volunteer.withdrawn, name="study-withdrawn"),
]
