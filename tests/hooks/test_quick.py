import time
from tests.hooks import scene
from tests.hooks.fire import fire
def test_a(project):
    scene.store(project, "When fixing the parser, run the tokenizer tests first")
    for i in range(3):
        t=time.time(); f = fire("PreToolUse", project, prompt=scene.task("Fix the parser"), tool_use_id=f"t{i}"); print(f, time.time()-t)
        assert f.answer
def test_b(project, worker):
    scene.store_embedded(project, "When fixing the parser, run the tokenizer tests first")
    for i in range(3):
        f = fire("PreToolUse", project, prompt=scene.task("Fix the parser"), tool_use_id=f"t{i}"); print(f)
        assert f.answer
    print(scene.rows(project, "select * from hook_call"), scene.log(project))
