"""URLs of studies for participants. Those for maintainers are in `maintenance/urls.py`."""

from django.urls import URLPattern, path

from humaneval.answering import learning_views, page_views, question_views, reader_views
from humaneval.answering import views as answering

QUESTION = "<slug:slug>/questions/<int:number>/"

urlpatterns: list[URLPattern] = [
    path("<slug:slug>/join/<str:token>/", answering.join, name="study-join"),
    path("<slug:slug>/", answering.home, name="study-home"),
    path("<slug:slug>/consent/", answering.consent, name="study-consent"),
    path("<slug:slug>/declined/", answering.declined, name="study-declined"),
    path("<slug:slug>/instructions/", answering.instructions, name="study-instructions"),
    path("<slug:slug>/practice/", question_views.practice, name="study-practice"),
    path("<slug:slug>/rehearsal/", learning_views.rehearsal, name="study-rehearsal"),
    path("<slug:slug>/test/", learning_views.test, name="study-test"),
    path("<slug:slug>/questions/", answering.questions, name="study-questions"),
    path(QUESTION, question_views.question, name="study-question"),
    path(f"{QUESTION}page/", page_views.page, name="study-page"),
    path(f"{QUESTION}answer/", page_views.answer, name="study-answer"),
    path(f"{QUESTION}aside/", page_views.discarded_draft, name="study-aside"),
    path(f"{QUESTION}standing/", page_views.current_answer, name="study-standing"),
    path(f"{QUESTION}done/", page_views.page, {"do": "done"}, name="study-done"),
    path(f"{QUESTION}skip/", page_views.page, {"do": "skip"}, name="study-skip"),
    path(f"{QUESTION}search/", reader_views.search, name="study-search"),
    path(f"{QUESTION}suggest/", reader_views.suggest, name="study-suggest"),
    path(f"{QUESTION}article/", reader_views.article, name="study-article"),
    path(f"{QUESTION}passages/", reader_views.passages, name="study-passages"),
    path(f"{QUESTION}outside/", reader_views.outside, name="study-outside"),
    path(f"{QUESTION}image/", reader_views.image, name="study-image"),
    path(f"{QUESTION}tabs/", reader_views.tabs, name="study-tabs"),
    path(f"{QUESTION}visits/", reader_views.report, name="study-report"),
    path(f"{QUESTION}visits/<int:pk>/", reader_views.visit, name="study-visit"),
    path("<slug:slug>/finish/", answering.finish, name="study-finish"),
    path("<slug:slug>/leave/", answering.leave, name="study-leave"),
    path("<slug:slug>/thanks/", answering.thanks, name="study-thanks"),
    path("<slug:slug>/my-data/", answering.own_data, name="study-own-data"),
    path("<slug:slug>/withdraw/", answering.withdraw, name="study-withdraw"),
    path("<slug:slug>/withdrawn/<slug:how>/", answering.withdrawn, name="study-withdrawn"),
]
