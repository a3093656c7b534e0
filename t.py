import time
import dpviz
for k in (dict(sigma=26,noise="laplace"),dict(sigma=26,noise="discrete_laplace"),dict(radius=300,scale=20,noise="truncated_laplace"),dict(radius=300,scale=20,noise="truncated_discrete_laplace")):
    s=time.process_time()
    print(dpviz.epsilon(delta=1e-6,queries=10,**k), time.process_time()-s)
for d in (1e-3,1e-6,1e-12,1e-50,1e-300,.4):
  for text in ("laplace:scale=10,count=30","pure:epsilon=.5,count=7","gaussian:sigma=30,rate=.1,count=100","gdp:mu=.3 approximate:epsilon=.1,delta=1e-301,count=3","discrete_gaussian:sigma=9,count=7 gaussian:sigma=2", "laplace:scale=.001","power:radius=50 gaussian:sigma=10"):
    s=time.process_time()
    try: print(d, text, dpviz.compose(text.split(),delta=d).as_dict()["known"], round(time.process_time()-s,2))
    except Exception as e: print(d,text,type(e),e)
